// Every route, for the router and for the test that tries each of them without a right to it.
import type { ConsoleContext } from '../context.ts';
import type { Route } from '../exchange.ts';
import { descriptionRoutes } from './description.ts';
import { eventRoutes } from './events.ts';
import { fileRoutes } from './files.ts';
import { openAiRoutes } from './openai.ts';
import { operationRoutes } from './operations.ts';
import { pageRoutes } from './page.ts';
import { questionRoutes } from './questions.ts';
import { relayRoutes } from './relay.ts';
import { signInRoutes } from './sign-in.ts';

/** The first that fits is taken. `pageFolder`: where the files of the web page are. */
export function routesOf(context: ConsoleContext, pageFolder: string): Route[] {
  return [
    ...operationRoutes(context),
    ...eventRoutes(context),
    ...fileRoutes(context),
    ...descriptionRoutes(context),
    ...openAiRoutes(context),
    ...relayRoutes(context),
    ...questionRoutes(context),
    ...signInRoutes(context),
    ...pageRoutes(context, pageFolder),
  ];
}
