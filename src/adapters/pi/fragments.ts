// Puts the fragments of a call's arguments together again. The library parses everything it has so far at each of them,
// which for a file of 100 kB takes half a minute; we show no call before it is whole, so one fragment does as well.
// A run of fragments is held back and passed on as one, right before the next event of another kind.

type Event = Record<string, unknown>;

interface Fragment {
  key: string;
  text: string;
  /** The same event with another text. */
  holding(text: string): Event;
}

interface Held {
  frame: string;
  fragment: Fragment;
  texts: string[];
}

export interface Fragments {
  /** Frames to pass on in place of this one, which holds this event. */
  take(frame: string, event: unknown): string[];
  /** What is still held back when the stream ends. */
  flush(): string[];
}

export function createFragments(): Fragments {
  const held = new Map<string, Held>();

  function flush(): string[] {
    const frames = [...held.values()].map(({ frame, fragment, texts }) =>
      texts.length === 1 ? frame : rewritten(frame, fragment.holding(texts.join(''))),
    );
    held.clear();
    return frames;
  }

  return {
    take(frame, event) {
      const fragment = fragmentIn(event);
      if (!fragment) return held.size === 0 ? [frame] : [...flush(), frame];
      const same = held.get(fragment.key);
      if (same) same.texts.push(fragment.text);
      else held.set(fragment.key, { frame, fragment, texts: [fragment.text] });
      return [];
    },
    flush,
  };
}

function rewritten(frame: string, event: Event): string {
  const others = frame.split('\n').filter((line) => !line.startsWith('data:'));
  return [...others, `data: ${JSON.stringify(event)}`].join('\n');
}

function fragmentIn(value: unknown): Fragment | undefined {
  if (!isRecord(value)) return undefined;
  switch (value.type) {
    case 'response.function_call_arguments.delta':
      return responsesFragment(value);
    case 'content_block_delta':
      return messagesFragment(value);
    case undefined:
      return chatFragment(value);
    default:
      return undefined;
  }
}

function responsesFragment(event: Event): Fragment | undefined {
  if (typeof event.delta !== 'string') return undefined;
  return { key: `${event.output_index}`, text: event.delta, holding: (delta) => ({ ...event, delta }) };
}

function messagesFragment(event: Event): Fragment | undefined {
  const { delta } = event;
  if (!isRecord(delta) || delta.type !== 'input_json_delta' || typeof delta.partial_json !== 'string') return undefined;
  return {
    key: `${event.index}`,
    text: delta.partial_json,
    holding: (text) => ({ ...event, delta: { ...delta, partial_json: text } }),
  };
}

/** Only what continues a call that has been named, and says nothing else. */
function chatFragment(event: Event): Fragment | undefined {
  const [choice, ...otherChoices] = Array.isArray(event.choices) ? event.choices : [];
  if (!isRecord(choice) || otherChoices.length > 0 || choice.finish_reason || event.usage || choice.usage)
    return undefined;
  const { delta } = choice;
  if (!isRecord(delta) || !Array.isArray(delta.tool_calls)) return undefined;
  const [call, ...otherCalls] = delta.tool_calls;
  const hasMore = Object.entries(delta).some(([key, value]) => key !== 'tool_calls' && key !== 'role' && value);
  if (hasMore || otherCalls.length > 0 || !isRecord(call) || call.id || typeof call.index !== 'number')
    return undefined;
  const { function: named } = call;
  if (!isRecord(named) || named.name || typeof named.arguments !== 'string') return undefined;
  const withArguments = (text: string): Event => ({ ...call, function: { ...named, arguments: text } });
  return {
    key: `${call.index}`,
    text: named.arguments,
    holding: (text) => ({ ...event, choices: [{ ...choice, delta: { ...delta, tool_calls: [withArguments(text)] } }] }),
  };
}

function isRecord(value: unknown): value is Event {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
