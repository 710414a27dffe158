// The frame of a page: its heading, what can be done on it, and its content once that is loaded.
import type { ComponentChildren } from 'preact';
import { Loading, ProblemNote } from './notes.tsx';
import type { Loaded } from './use-loaded.ts';

export function Page(props: {
  title: string;
  about?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <div class="page">
      <header class="page-head">
        <div>
          <h1>{props.title}</h1>
          {props.about !== undefined && <p class="quiet">{props.about}</p>}
        </div>
        {props.actions && <div class="row">{props.actions}</div>}
      </header>
      {props.children}
    </div>
  );
}

export function WhenLoaded<Value>(props: {
  of: Loaded<Value> & { reload(): void };
  children(value: Value): ComponentChildren;
}) {
  const { of: loaded } = props;
  return (
    <>
      {loaded.kind === 'failed' && <ProblemNote problem={loaded.problem} onRetry={loaded.reload} />}
      {loaded.kind === 'loading' && <Loading />}
      {loaded.value !== undefined && props.children(loaded.value)}
    </>
  );
}
