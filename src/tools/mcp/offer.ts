// Our tools as other agents get them through MCP: the same registry, executor and policy as everywhere. An agent that connects shares
// one mark of content from outside, since their context cannot be seen from here. Documentation is offered as resources and
// skills as prompts, where the tools that read them are allowed.
import type { Mode } from '../../config/mode.ts';
import type { Docs } from '../../docs/docs.ts';
import { DocsError } from '../../docs/docs-error.ts';
import type { Offer, ServedResult, ServedTool } from '../../mcp/serve.ts';
import { SkillError } from '../../skills/skill-error.ts';
import type { Skills } from '../../skills/skills.ts';
import { OWNER } from '../../vocabulary/memory-scope.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Executed } from '../executor.ts';
import type { OwnContent } from '../own-content.ts';
import { readPictures } from '../pictures.ts';
import type { Registry } from '../registry.ts';
import { taintOfSkill } from '../skills/taint-of-skill.ts';
import { createTaint, type Taint } from '../taint.ts';
import type { Toolbox } from '../toolbox.ts';
import { createWireNames } from '../wire-names.ts';

const DOCS_SCHEME = 'lainclaw-docs:///';

export interface OfferDependencies extends Pick<OwnContent, 'isOwnSkill'> {
  version: string;
  toolbox: Toolbox;
  /** Undefined: every tool that only reads or asks first. */
  allow: readonly string[] | undefined;
  mode: Mode;
  workspace: Workspace;
  docs(): Promise<Docs>;
  skills(): Promise<Skills>;
  newId(kind: string): string;
}

/** What has an effect and asks nobody is for our own turns, whose context is known; another agent gets it by name only. */
function withoutUnasked(registry: Registry): Registry {
  const kept = registry.list().filter(({ spec }) => spec.effect === 'read' || spec.requiresPermission);
  return registry.filter(kept.map(({ name }) => name));
}

export function createToolOffer(dependencies: OfferDependencies): Offer {
  const { version, toolbox, allow, mode, newId } = dependencies;
  const taint = createTaint();
  const sessionId = newId('mcp');
  const registry = allow ? toolbox.visible(allow) : withoutUnasked(toolbox.visible(undefined));
  const offered = registry.distinct();
  const names = createWireNames(offered.map(({ name }) => name));
  const executor = toolbox.executor({ registry, mode, sessionId, taint, reader: OWNER, who: 'mcp client' });
  return {
    version,
    instructions: `The tools of a Lainclaw agent. File tools are confined to ${toolbox.workspaceRoot}.`,
    async tools() {
      const usable = await Promise.all(offered.map(async (tool) => !(await tool.spec.unavailable?.())));
      const here = offered.filter((_, index) => usable[index]);
      return (await toolbox.describe(here)).map(
        ({ name, description, inputSchema }, index): ServedTool => ({
          name: names.toWire(name),
          description,
          inputSchema: { ...inputSchema },
          onlyReads: here[index]?.spec.effect === 'read',
        }),
      );
    },
    async call(wireName, args, { signal, progress, log }) {
      const name = names.fromWire(wireName);
      if (!registry.get(name)) return undefined;
      const call = { id: newId('call'), name, args, source: 'mcp' as const };
      const executed = await executor.execute(call, signal, progress);
      const { result } = executed;
      if (!result.ok && result.error.reason === 'denied') log('warning', result.error.message);
      return served(executed, await readPictures(result.pictures ?? []));
    },
    ...(registry.get('docs_read') && { resources: docsResources(dependencies) }),
    ...(registry.get('skill_load') && { prompts: skillPrompts(dependencies, taint) }),
  };
}

/** Data goes along only where the text says all of it too: what was cut for a model is not handed to it another way. */
function served({ result, text }: Executed, images: readonly { mimeType: string; data: string }[]): ServedResult {
  const content = [{ type: 'text', text }, ...images.map((image) => ({ type: 'image', ...image }))];
  if (!result.ok) return { content, isError: true };
  const { data, meta } = result;
  const isWhole =
    meta.fullOutputPath === undefined && typeof data === 'object' && data !== null && !Array.isArray(data);
  return { content, ...(isWhole && { structuredContent: data as Record<string, unknown> }) };
}

function docsResources({ docs }: OfferDependencies): Offer['resources'] {
  const mimeType = 'text/markdown';
  return {
    list: async () =>
      (await (await docs()).list()).map(({ path, title }) => ({
        uri: DOCS_SCHEME + path,
        name: path,
        description: title,
        mimeType,
      })),
    async read(uri) {
      if (!uri.startsWith(DOCS_SCHEME)) return undefined;
      const found = await (await docs()).read(uri.slice(DOCS_SCHEME.length)).catch((error: unknown) => {
        if (error instanceof DocsError) return undefined;
        throw error;
      });
      return found && { uri, mimeType, text: found.text };
    },
  };
}

function skillPrompts({ skills, workspace, isOwnSkill }: OfferDependencies, taint: Taint): Offer['prompts'] {
  return {
    async list() {
      const { skills: found } = await (await skills()).list({ workspace });
      return found.map(({ name, description }) => ({ name, description }));
    },
    async get(name) {
      const found = await (await skills()).load(name, { workspace }).catch((error: unknown) => {
        if (error instanceof SkillError) return undefined;
        throw error;
      });
      if (!found) return undefined;
      // Somebody else wrote it: what follows needs a person.
      taint.add((await taintOfSkill(found.skill, workspace.root, { isOwnSkill }))?.taintedBy ?? []);
      const content = { type: 'text', text: found.text };
      return { description: found.skill.description, messages: [{ role: 'user', content }] };
    },
  };
}
