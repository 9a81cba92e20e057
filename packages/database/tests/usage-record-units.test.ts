import { expect, it } from 'vitest';
import { applyMigrations } from '../src/index.ts';
import { emptyDatabase } from './migrations-fixture.ts';

const REFUSED = /usage_records_units/;
const UNITS_OF_INPUT = [
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'audio_input_tokens',
  'image_input_tokens',
];
const UNITS_OF_OUTPUT = ['reasoning_tokens', 'audio_output_tokens', 'image_output_tokens'];

it('a usage record never has more tokens in its parts than in the whole', async () => {
  await using database = await emptyDatabase();
  await applyMigrations(database.url);
  // 4 of 12 input tokens are cached, and there are 5 output tokens.
  const store = (units: Record<string, number>) =>
    database.rows(`
      INSERT INTO usage_records (
        request_id, account_id, key_id, model_id, capability, input_tokens, cached_input_tokens, output_tokens, images,
        characters, audio_ms, search_units, billing_reason, held, cost, charged, uncollected, attempts, ended_at,
        settlement, ${Object.keys(units).join(', ')}
      ) VALUES (
        'req_1', 'acct_1', 'key_1', 'acme/small', 'chat', 12, 4, 5, 0, 0, 0, 0, 'completed', 0, 0, 0, 0, '[]', now(),
        1, ${Object.values(units).join(', ')}
      )`);
  for (const unit of UNITS_OF_INPUT) await expect(store({ [unit]: 9 }), unit).rejects.toThrow(REFUSED);
  for (const unit of UNITS_OF_OUTPUT) await expect(store({ [unit]: 6 }), unit).rejects.toThrow(REFUSED);
  for (const unit of [...UNITS_OF_INPUT, ...UNITS_OF_OUTPUT, 'web_search_requests', 'tool_calls']) {
    await expect(store({ [unit]: -1 }), unit).rejects.toThrow(REFUSED);
  }
  await store({ cache_write_tokens: 4, image_input_tokens: 4, reasoning_tokens: 5, web_search_requests: 2 });
});
