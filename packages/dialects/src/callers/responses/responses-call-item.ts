import { type CallableTool, newId } from '@model-gateway/shared';
import { CustomToolInput } from './custom-tool-input.ts';
import type { EventTeller } from './responses-events.ts';

/** A call of a tool while it is written. */
export interface CallItem {
  args(piece: string): void;
  /**
   * To be called once all of its arguments have come.
   * @returns JSON of the whole item
   * @throws GatewayError 502 when it is not certain what they are
   */
  close(): string;
}

/** @param callId by which the caller names the call in its next turn */
export function callItem(
  events: EventTeller,
  outputIndex: number,
  called: { callId: string; tool: CallableTool },
): CallItem {
  return called.tool.isCustom
    ? new CustomCallItem(events, outputIndex, called)
    : new FunctionCallItem(events, outputIndex, called);
}

class FunctionCallItem implements CallItem {
  readonly #id = newId('fc');
  readonly #events: EventTeller;
  readonly #outputIndex: number;
  readonly #place: string;
  /** JSON of the members that do not change. */
  readonly #called: string;
  readonly #name: string;
  #args = '';

  constructor(
    events: EventTeller,
    outputIndex: number,
    { callId, tool }: { callId: string; tool: CallableTool },
  ) {
    this.#events = events;
    this.#outputIndex = outputIndex;
    this.#place = `"item_id":"${this.#id}","output_index":${outputIndex}`;
    this.#name = JSON.stringify(tool.name);
    this.#called = calledJson(callId, tool);
    events.tell(
      'response.output_item.added',
      `"output_index":${outputIndex},"item":${this.#json('in_progress', '""')}`,
    );
  }

  args(piece: string): void {
    if (piece === '') return;
    this.#args += piece;
    this.#events.tell(
      'response.function_call_arguments.delta',
      `${this.#place},"delta":${JSON.stringify(piece)}`,
    );
  }

  close(): string {
    // Callers read them as JSON, and a function without parameters is called with none.
    if (this.#args.trim() === '') this.args('{}');
    const args = JSON.stringify(this.#args);
    this.#events.tell(
      'response.function_call_arguments.done',
      `${this.#place},"name":${this.#name},"arguments":${args}`,
    );
    const item = this.#json('completed', args);
    this.#events.tell('response.output_item.done', `"output_index":${this.#outputIndex},"item":${item}`);
    return item;
  }

  #json(status: string, args: string): string {
    return `{"id":"${this.#id}","type":"function_call","status":"${status}","arguments":${args},${this.#called}}`;
  }
}

/**
 * A tool whose input is text: a provider of Chat Completions has written it as the one member of an object.
 */
class CustomCallItem implements CallItem {
  readonly #id = newId('ctc');
  readonly #events: EventTeller;
  readonly #outputIndex: number;
  readonly #place: string;
  readonly #called: string;
  readonly #input = new CustomToolInput();

  constructor(
    events: EventTeller,
    outputIndex: number,
    { callId, tool }: { callId: string; tool: CallableTool },
  ) {
    this.#events = events;
    this.#outputIndex = outputIndex;
    this.#place = `"item_id":"${this.#id}","output_index":${outputIndex}`;
    this.#called = calledJson(callId, tool);
    events.tell(
      'response.output_item.added',
      `"output_index":${outputIndex},"item":${this.#json('in_progress', '""')}`,
    );
  }

  args(piece: string): void {
    this.#tell(this.#input.push(piece));
  }

  close(): string {
    this.#tell(this.#input.end());
    const input = JSON.stringify(this.#input.text);
    this.#events.tell('response.custom_tool_call_input.done', `${this.#place},"input":${input}`);
    const item = this.#json('completed', input);
    this.#events.tell('response.output_item.done', `"output_index":${this.#outputIndex},"item":${item}`);
    return item;
  }

  #tell(text: string): void {
    if (text === '') return;
    this.#events.tell(
      'response.custom_tool_call_input.delta',
      `${this.#place},"delta":${JSON.stringify(text)}`,
    );
  }

  #json(status: string, input: string): string {
    return `{"id":"${this.#id}","type":"custom_tool_call","status":"${status}","input":${input},${this.#called}}`;
  }
}

function calledJson(callId: string, { name, namespace }: CallableTool): string {
  const group = namespace === undefined ? '' : `,"namespace":${JSON.stringify(namespace)}`;
  return `"call_id":${JSON.stringify(callId)},"name":${JSON.stringify(name)}${group}`;
}
