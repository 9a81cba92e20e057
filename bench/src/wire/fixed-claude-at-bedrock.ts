import { awsMessage } from './aws-message.ts';
import { deltaAt, MESSAGE_END, MESSAGE_START } from './fixed-message.ts';

/**
 * The model at the runtime that is asked by InvokeModelWithResponseStream: the events of Messages, wrapped.
 */
export const CLAUDE_MODEL = { id: 'bench/claude-at-bedrock', upstream: 'anthropic.bench-v1:0' };

function wrapped(events: string): string {
  return [...events.matchAll(/^data: (.*)$/gm)]
    .map(([, data = '']) =>
      awsMessage('chunk', JSON.stringify({ bytes: Buffer.from(data).toString('base64') })),
    )
    .join('');
}

export const CLAUDE_START = wrapped(MESSAGE_START);
export const claudeDeltaAt = (timeUs: number) => wrapped(deltaAt(timeUs));
export const CLAUDE_END = wrapped(MESSAGE_END);
