import { postJson, type TestGateway, until } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { z } from 'zod';
import { spawnDataPlane } from '../process/data-plane-process.ts';

export interface Replayed {
  /** The bodies of one conversation, turn by turn, as they arrived at a provider. */
  turns: readonly string[];
  conversations: number;
  /** Each conversation has one of these, in turn. */
  models: readonly string[];
  /** The model that the bodies name. */
  upstreamModel: string;
}

const event = z.looseObject({ type: z.string() });

/**
 * Sends many conversations at once through one data plane, in a process of its own.
 * @returns the account that pays for them
 */
export async function replayConversations(gateway: TestGateway, replayed: Replayed): Promise<string> {
  const { conversations, models, turns, upstreamModel } = replayed;
  const plane = await spawnDataPlane(gateway);
  try {
    const { accountId, rawKey } = await gateway.createKey();
    const send = async (place: number, turn: string) => {
      const model = models[place % models.length] ?? '';
      // Unique wherever the file is named, so that no response is taken for that of another file.
      const body = turn
        .replaceAll(/\bout\.txt\b/g, `out-${place}.txt`)
        .replace(`"model":"${upstreamModel}"`, `"model":"${model}"`);
      expect(body).toContain(`"model":"${model}"`);
      const response = await postJson(plane.baseUrl, rawKey, 'messages?beta=true', body, {
        headers: {
          'anthropic-version': '2023-06-01',
          'anthropic-beta':
            'claude-code-20250219,context-management-2025-06-27,interleaved-thinking-2025-05-14',
        },
      });
      return { status: response.status, text: await response.text() };
    };
    await until(async () => (await send(0, turns[0] ?? '')).status === 200);
    await Promise.all(
      Array.from({ length: conversations }, async (_, place) => {
        for (const [index, turn] of turns.entries()) {
          const { status, text } = await send(place, turn);
          expect(status, text.slice(0, 300)).toBe(200);
          expectWhole(text, place, index === turns.length - 1);
        }
      }),
    );
    return accountId;
  } finally {
    plane.child.kill('SIGTERM');
    await plane.exit;
  }
}

function expectWhole(text: string, place: number, isLast: boolean): void {
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => event.parse(JSON.parse(data)));
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === 'message_start')).toHaveLength(1);
  expect(types.at(-1)).toBe('message_stop');
  expect(types).not.toContain('error');
  expect(types.filter((type) => type === 'content_block_start').length).toBe(
    types.filter((type) => type === 'content_block_stop').length,
  );
  const inputs = [...text.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)].map(([, part = '""']) =>
    JSON.parse(part),
  );
  if (isLast) expect(inputs).toEqual([]);
  else expect(JSON.parse(inputs.join(''))).toBeTypeOf('object');
  const others = inputs.join('').match(/out-(\d+)\.txt/g) ?? [];
  for (const name of others) expect(name).toBe(`out-${place}.txt`);
}
