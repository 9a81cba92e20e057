import { isObject, type JsonObject } from '../../../translation/json-object.ts';
import { KEPT_IN_REASONING, keep, opaqueOf } from '../kept-reasoning.ts';

/** What of a tool call a delta has, or all of it. */
export interface CallDelta {
  /** Undefined: the provider numbers no calls. */
  index: number | undefined;
  id: string;
  name: string;
  /** JSON text, or a piece of it. */
  args: string;
}

/** Takes what a model has written, in the order in which it is to be told. */
export interface WrittenSink {
  /** @param unsigned the signature of the block if none follows */
  thinking(text: string, unsigned: string): void;
  signature(signature: string): void;
  redacted(data: string): void;
  text(text: string): void;
  call(delta: CallDelta): void;
}

/** Reads a `delta` or a `message` of Chat Completions. */
export function readWritten(written: JsonObject, sink: WrittenSink): void {
  const { content } = written;
  readReasoning(written, sink);
  if (typeof content === 'string') {
    if (content !== '') sink.text(content);
  } else if (Array.isArray(content)) for (const part of content) readPart(part, sink);
  const { function_call, refusal, tool_calls } = written;
  if (typeof refusal === 'string' && refusal !== '') sink.text(refusal);
  if (Array.isArray(tool_calls)) for (const call of tool_calls) if (isObject(call)) readCall(call, sink);
  if (isObject(function_call)) readCall({ index: 0, function: function_call }, sink);
}

function readReasoning(
  { reasoning, reasoning_content, reasoning_details }: JsonObject,
  sink: WrittenSink,
): void {
  const told = nonEmpty(reasoning_content) ?? nonEmpty(reasoning);
  const unsigned = nonEmpty(reasoning_content) === undefined ? KEPT_IN_REASONING : '';
  if (!Array.isArray(reasoning_details) || reasoning_details.length === 0) {
    if (told !== undefined) sink.thinking(told, unsigned);
    return;
  }
  const details = reasoning_details.filter(isObject);
  const texts = details.map(({ summary, text }) => nonEmpty(text) ?? nonEmpty(summary));
  // Where reasoning is there as text, its details repeat it: one text for all, unless each has its own.
  const areApart = texts.filter((text) => text !== undefined).length > 1 || told === undefined;
  if (told !== undefined && !areApart) sink.thinking(told, unsigned);
  for (const [index, detail] of details.entries()) {
    const text = texts[index];
    if (areApart && text !== undefined) sink.thinking(text, unsigned);
    const { data, signature } = opaqueOf(detail);
    if (signature !== undefined) sink.signature(signature);
    if (data !== undefined) sink.redacted(data);
  }
}

/** Mistral writes its answers in parts, its reasoning among them. */
function readPart(part: unknown, sink: WrittenSink): void {
  if (!isObject(part)) return;
  if (part.type === 'thinking' && Array.isArray(part.thinking)) {
    for (const piece of part.thinking) {
      const text = isObject(piece) ? nonEmpty(piece.text) : undefined;
      if (text !== undefined) sink.thinking(text, '');
    }
    return;
  }
  const text = nonEmpty(part.text);
  if (text !== undefined) sink.text(text);
}

function readCall({ extra_content, function: called, id, index }: JsonObject, sink: WrittenSink): void {
  const { arguments: args, name } = isObject(called) ? called : {};
  const callId = typeof id === 'string' ? id : '';
  if (extra_content !== undefined && extra_content !== null && callId !== '')
    sink.redacted(keep({ call: { id: callId, extra_content } }));
  sink.call({
    index: typeof index === 'number' ? index : undefined,
    id: callId,
    name: typeof name === 'string' ? name : '',
    args: argumentsOf(args),
  });
}

/** Some servers send them as an object. */
function argumentsOf(args: unknown): string {
  if (typeof args === 'string') return args;
  return isObject(args) ? JSON.stringify(args) : '';
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
