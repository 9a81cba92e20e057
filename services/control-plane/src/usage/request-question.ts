import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { invalidQuestion, type PageQuestion, pageQuestion } from './page-question.ts';

/** A checked ListHolderRequestsRequest. */
export interface RequestQuestion extends PageQuestion {
  accountId: string;
  /** Undefined: only requests on no seat. */
  seatId: string | undefined;
  modelId: string | undefined;
  keyId: string | undefined;
  /** `issued` or `playground`; undefined: both. */
  keyKind: string | undefined;
  /** True when requests that were refused before they reached a provider are listed, too. */
  withRefused: boolean;
}

const KEY_KINDS = ['issued', 'playground'];

/** @throws ControlPlaneError invalid_argument */
export function requestQuestion(request: ListHolderRequestsRequestMessage): RequestQuestion {
  const { accountId, seatId, modelId, keyId, keyKind, withRefused } = request;
  if (keyKind !== undefined && !KEY_KINDS.includes(keyKind)) {
    throw invalidQuestion(`key_kind must be one of ${KEY_KINDS.join(', ')}`);
  }
  return { ...pageQuestion(request), accountId, seatId, modelId, keyId, keyKind, withRefused };
}
