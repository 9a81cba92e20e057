import { usageOf } from '@model-gateway/dialects';
import { NO_UNITS } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import type { FollowedRequest } from '../background/background-responses.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { followBackground } from './follow-background.ts';

it.each<(followed: FollowedRequest) => void>([
  ({ settle }) => settle('not_ended'),
  ({ handOver }) => handOver(),
])('a followed request whose settlement fails is left to the sweep', (end) => {
  const record = { id: 'req_1', key: { keyId: 'key', accountId: 'account' }, outcome: 'completed' };
  const exchange = { record, req: { headers: {} }, res: {} } as unknown as AuthenticatedExchange;
  const provider = { id: 'acme', protocol: { endpoints: {} } };
  const model = { id: 'model', upstreams: [{ provider }] } as unknown as RoutedModel;
  const background = {
    isRequested: true,
    unfinished: { providerId: 'acme', responseId: 'resp_1' },
    estimatePrompt: () => usageOf('estimated', {}),
  };
  let followed: FollowedRequest | undefined;
  const context = {
    backgroundResponses: { follow: (request: FollowedRequest) => (followed = request) },
    checkpoints: { follow: () => () => undefined },
  };
  followBackground(context, exchange, model, { background, maxUnits: NO_UNITS }, () => {
    throw new Error('not now');
  });
  expect(record).toMatchObject({ isFollowed: true });
  expect(() => followed && end(followed)).toThrow('not now');
  expect(record).toMatchObject({ isFollowed: false });
});
