import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { type PageQuestion, pageQuestion } from './page-question.ts';

export interface RequestQuestion extends PageQuestion {
  accountId: string;
  /** Undefined: requests on no seat. */
  seatId: string | undefined;
  modelId: string | undefined;
  keyId: string | undefined;
  /** `issued` or `playground`; undefined: both. */
  keyKind: string | undefined;
  /** Includes requests refused before they reached a provider. */
  withRefused: boolean;
}

const KEY_KINDS = ['issued', 'playground'];

export function requestQuestion(request: ListHolderRequestsRequestMessage): RequestQuestion {
  const { accountId, seatId, modelId, keyId, keyKind, withRefused } = request;
  if (keyKind !== undefined && !KEY_KINDS.includes(keyKind)) {
    throw invalidArgument(`key_kind must be one of ${KEY_KINDS.join(', ')}`);
  }
  return { ...pageQuestion(request), accountId, seatId, modelId, keyId, keyKind, withRefused };
}
