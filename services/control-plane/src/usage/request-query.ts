import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { type LabelFilter, parseLabelFilters } from './label-query.ts';
import { type PageQuery, parsePageQuery } from './page-query.ts';

export interface RequestQuery extends PageQuery {
  accountId: string;
  /** Undefined: requests on no seat. */
  seatId: string | undefined;
  modelId: string | undefined;
  labels: readonly LabelFilter[];
  keyId: string | undefined;
  /** `issued` or `playground`; undefined: both. */
  keyKind: string | undefined;
  /** Includes requests refused before they reached a provider. */
  withRefused: boolean;
}

const KEY_KINDS = ['issued', 'playground'];

export function parseRequestQuery(request: ListHolderRequestsRequestMessage): RequestQuery {
  const { accountId, seatId, modelId, keyId, keyKind, withRefused } = request;
  if (keyKind !== undefined && !KEY_KINDS.includes(keyKind)) {
    throw invalidArgument(`key_kind must be one of ${KEY_KINDS.join(', ')}`);
  }
  const labels = parseLabelFilters(request.labels);
  return {
    ...parsePageQuery(request),
    accountId,
    seatId,
    modelId,
    labels,
    keyId,
    keyKind,
    // Refused requests have no labels.
    withRefused: withRefused && labels.length === 0,
  };
}
