import { writeExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject, nonEmptyText } from '../../json/json-object.ts';

/** A tool call, or the part of one in a delta. */
export interface CallDelta {
  /** Some providers send none. */
  index: number | undefined;
  id: string;
  name: string;
  /** JSON text, or a piece of it. */
  args: string;
}

export interface ChatDeltaSink {
  /** @param written has some of `reasoning_content`, `reasoning` and `reasoning_details` */
  reasoning(written: JsonObject): void;
  text(text: string): void;
  refusal(text: string): void;
  picture(url: string): void;
  annotations(annotations: readonly unknown[]): void;
  /** Reports data that the provider needs back with a call. @param id of the call, never empty */
  callExtra(id: string, extraContent: unknown): void;
  call(delta: CallDelta): void;
}

/** Reads a `delta` or a `message` of Chat Completions. */
export function readChatDelta(written: JsonObject, sink: ChatDeltaSink): void {
  const { annotations, content, function_call, images, refusal, tool_calls } = written;
  if (hasReasoning(written)) sink.reasoning(written);
  if (typeof content === 'string') {
    if (content !== '') sink.text(content);
  } else if (Array.isArray(content)) for (const part of content) readPart(part, sink);
  if (Array.isArray(annotations)) sink.annotations(annotations);
  if (typeof refusal === 'string' && refusal !== '') sink.refusal(refusal);
  if (Array.isArray(images)) for (const image of images) readImage(image, sink);
  if (Array.isArray(tool_calls)) for (const call of tool_calls) if (isObject(call)) readCall(call, sink);
  if (isObject(function_call)) readCall({ index: 0, function: function_call }, sink);
}

function hasReasoning({ reasoning, reasoning_content, reasoning_details }: JsonObject): boolean {
  if (nonEmptyText(reasoning_content) !== undefined || nonEmptyText(reasoning) !== undefined) return true;
  return Array.isArray(reasoning_details) && reasoning_details.length > 0;
}

/** Mistral sends reasoning as parts of the content. */
function readPart(part: unknown, sink: ChatDeltaSink): void {
  if (!isObject(part)) return;
  if (part.type === 'thinking' && Array.isArray(part.thinking)) {
    for (const piece of part.thinking) {
      const text = isObject(piece) ? nonEmptyText(piece.text) : undefined;
      if (text !== undefined) sink.reasoning({ reasoning_content: text });
    }
    return;
  }
  const text = nonEmptyText(part.text);
  if (text !== undefined) sink.text(text);
}

/** Reads the form of OpenRouter: parts like those of a user's message. */
function readImage(image: unknown, sink: ChatDeltaSink): void {
  const { image_url } = isObject(image) ? image : {};
  const url = nonEmptyText(isObject(image_url) ? image_url.url : image_url);
  if (url !== undefined) sink.picture(url);
}

function readCall({ extra_content, function: called, id, index }: JsonObject, sink: ChatDeltaSink): void {
  const { arguments: args, name } = isObject(called) ? called : {};
  const callId = typeof id === 'string' ? id : '';
  if (extra_content !== undefined && extra_content !== null && callId !== '')
    sink.callExtra(callId, extra_content);
  sink.call({
    index: typeof index === 'number' ? index : undefined,
    id: callId,
    name: typeof name === 'string' ? name : '',
    args: argumentsOf(args),
  });
}

/** Some servers send an object instead of JSON. */
function argumentsOf(args: unknown): string {
  if (typeof args === 'string') return args;
  return isObject(args) ? writeExactJson(args) : '';
}
