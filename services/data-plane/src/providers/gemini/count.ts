import { z } from 'zod';
import { notAsExpected } from '../../failures/provider-failures.ts';
import { askWritten } from '../ask-written.ts';
import type { CountEndpoint } from '../dialect.ts';
import { JSON_TYPE } from '../json-body.ts';
import { modelPath } from './model-path.ts';
import { COUNT_FROM_COMPLETIONS } from './request/content-translation.ts';

const counted = z.looseObject({ totalTokens: z.int().min(0) });

/** countTokens: of the request that generateContent would be sent. */
export const count: CountEndpoint = {
  ask: ({ written }, upstreamModel) =>
    askWritten(
      { path: modelPath(upstreamModel, 'countTokens'), accept: JSON_TYPE },
      written(upstreamModel, COUNT_FROM_COMPLETIONS),
    ),
  whole: (value) => {
    const { data, error } = counted.safeParse(value);
    if (data === undefined) throw notAsExpected(error);
    return { body: { input_tokens: data.totalTokens }, usage: undefined };
  },
};
