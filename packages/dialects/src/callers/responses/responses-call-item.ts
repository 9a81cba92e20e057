import { type CallableTool, newId } from '@model-gateway/shared';
import { CustomToolInput } from './custom-tool-input.ts';
import type { EventWriter } from './responses-events.ts';

/** A call of a tool while it is written. */
export interface CallItem {
  args(piece: string): void;
  /**
   * Must be called after the last piece of the arguments.
   * @returns JSON of the whole item
   * @throws GatewayError 502 when the arguments are ambiguous
   */
  close(): string;
}

/** @param callId by which the caller names the call in its next turn */
export function callItem(
  events: EventWriter,
  outputIndex: number,
  called: { callId: string; tool: CallableTool },
): CallItem {
  return called.tool.isCustom
    ? new CustomCallItem(new CallEvents(CUSTOM, events, outputIndex, called))
    : new FunctionCallItem(new CallEvents(FUNCTION, events, outputIndex, called), called.tool.name);
}

const FUNCTION = {
  prefix: 'fc',
  type: 'function_call',
  member: 'arguments',
  event: 'response.function_call_arguments',
} as const;
const CUSTOM = {
  prefix: 'ctc',
  type: 'custom_tool_call',
  member: 'input',
  event: 'response.custom_tool_call_input',
} as const;

/** Writes the events of one call. */
class CallEvents {
  readonly #kind: typeof FUNCTION | typeof CUSTOM;
  readonly #id: string;
  readonly #events: EventWriter;
  readonly #outputIndex: number;
  readonly #place: string;
  /** JSON of the constant members. */
  readonly #called: string;

  constructor(
    kind: typeof FUNCTION | typeof CUSTOM,
    events: EventWriter,
    outputIndex: number,
    { callId, tool: { name, namespace } }: { callId: string; tool: CallableTool },
  ) {
    this.#kind = kind;
    this.#id = newId(kind.prefix);
    this.#events = events;
    this.#outputIndex = outputIndex;
    this.#place = `"item_id":"${this.#id}","output_index":${outputIndex}`;
    const group = namespace === undefined ? '' : `,"namespace":${JSON.stringify(namespace)}`;
    this.#called = `"call_id":${JSON.stringify(callId)},"name":${JSON.stringify(name)}${group}`;
    this.#writeItem('response.output_item.added', 'in_progress', '""');
  }

  delta(piece: string): void {
    if (piece !== '')
      this.#events.write(`${this.#kind.event}.delta`, `${this.#place},"delta":${JSON.stringify(piece)}`);
  }

  /** @param name JSON members with the name of the function, or '' */
  done(value: string, name = ''): string {
    const json = JSON.stringify(value);
    const { event, member } = this.#kind;
    this.#events.write(`${event}.done`, `${this.#place}${name},"${member}":${json}`);
    return this.#writeItem('response.output_item.done', 'completed', json);
  }

  #writeItem(type: string, status: string, written: string): string {
    const { member, type: kind } = this.#kind;
    const item = `{"id":"${this.#id}","type":"${kind}","status":"${status}","${member}":${written},${this.#called}}`;
    this.#events.write(type, `"output_index":${this.#outputIndex},"item":${item}`);
    return item;
  }
}

class FunctionCallItem implements CallItem {
  readonly #events: CallEvents;
  readonly #name: string;
  #args = '';

  constructor(events: CallEvents, name: string) {
    this.#events = events;
    this.#name = name;
  }

  args(piece: string): void {
    this.#args += piece;
    this.#events.delta(piece);
  }

  close(): string {
    // Callers read the arguments as JSON; a function without parameters may be called without any.
    if (this.#args.trim() === '') this.args('{}');
    return this.#events.done(this.#args, `,"name":${JSON.stringify(this.#name)}`);
  }
}

/** A tool whose input is text: Chat Completions has it as the only member of an object. */
class CustomCallItem implements CallItem {
  readonly #events: CallEvents;
  readonly #input = new CustomToolInput();

  constructor(events: CallEvents) {
    this.#events = events;
  }

  args(piece: string): void {
    this.#events.delta(this.#input.push(piece));
  }

  close(): string {
    this.#events.delta(this.#input.end());
    return this.#events.done(this.#input.text);
  }
}
