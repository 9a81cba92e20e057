import { expect, test } from 'vitest';
import { readChat } from './read-chat.ts';

function answer(...pieces: (string | Uint8Array)[]): Response {
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

async function told(response: Response): Promise<string> {
  let whole = '';
  for await (const part of readChat(response)) if (part.kind === 'text') whole += part.text;
  return whole;
}

test('an answer is whole however its bytes are cut', async () => {
  const bytes = new TextEncoder().encode(`: hold on\n\n${text('Grüße ')}${text('🎈')}data: [DONE]\n\n`);
  const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(await told(answer(...pieces))).toBe('Grüße 🎈');
});

test('an answer that ends before its end is a failure that names the request', async () => {
  await expect(told(answer(text('half')))).rejects.toMatchObject({ code: 'broken_off', requestId: 'req_1' });
});

test('an error event in the midst of an answer is a failure', async () => {
  const error = 'data: {"error":{"message":"It went away.","code":"upstream_error"}}\n\n';
  await expect(told(answer(text('half'), error))).rejects.toMatchObject({
    message: 'It went away.',
    requestId: 'req_1',
  });
});
