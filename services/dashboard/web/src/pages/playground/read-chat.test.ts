import { expect, test } from 'vitest';
import { readChat } from './read-chat.ts';

function responseOf(...pieces: (string | Uint8Array)[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { 'x-request-id': 'req_1' } });
}

const text = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

async function textOf(response: Response): Promise<string> {
  let whole = '';
  for await (const part of readChat(response, 'chat_completions'))
    if (part.kind === 'text') whole += part.text;
  return whole;
}

test('the text is complete however its bytes are split', async () => {
  const bytes = new TextEncoder().encode(`: hold on\n\n${text('Grüße ')}${text('🎈')}data: [DONE]\n\n`);
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(await textOf(responseOf(...pieces))).toBe('Grüße 🎈');
});

test('a response that ends early is a failure with the request id', async () => {
  await expect(textOf(responseOf(text('half')))).rejects.toMatchObject({
    code: 'broken_off',
    requestId: 'req_1',
  });
});

test('an error event within a response is a failure', async () => {
  const error = 'data: {"error":{"message":"It went away.","code":"upstream_error"}}\n\n';
  await expect(textOf(responseOf(text('half'), error))).rejects.toMatchObject({
    message: 'It went away.',
    requestId: 'req_1',
  });
});
