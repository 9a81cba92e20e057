import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import type { Visibility } from '../access/visibility.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { type LabelFilter, parseLabelFilters } from './label-query.ts';
import { type PageQuery, parsePageQuery } from './page-query.ts';

export interface RequestQuery extends PageQuery, Visibility {
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

export function parseRequestQuery(
  request: ListHolderRequestsRequestMessage,
  visible: Visibility,
): RequestQuery {
  const { seatId, modelId, keyId, keyKind, withRefused } = request;
  if (keyKind !== undefined && !KEY_KINDS.includes(keyKind)) {
    throw invalidArgument(`key_kind must be one of ${KEY_KINDS.join(', ')}`);
  }
  const labels = parseLabelFilters(request.labels);
  return {
    ...parsePageQuery(request),
    ...visible,
    seatId,
    modelId,
    labels,
    keyId,
    keyKind,
    // Refused requests have no labels.
    withRefused: withRefused && labels.length === 0,
  };
}
