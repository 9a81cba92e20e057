import { expect, it } from 'vitest';
import { VERDICTS, verdictOf } from '../../failures/verdicts.ts';
import { convertImagesToOpenAi } from './convert-images-to-openai.ts';

it.each([
  ['The prompt is too long.', VERDICTS.context_too_long],
  ['The prompt was blocked by a filter.', VERDICTS.rejected],
])("a response without an image is classified by the provider's text: %s", (said, verdict) => {
  let failure: unknown;
  try {
    convertImagesToOpenAi([], said);
  } catch (thrown) {
    failure = thrown;
  }
  expect(verdictOf(failure)).toBe(verdict);
});
