import type { ModelTable } from '../catalog/model-table.ts';
import type { StreamTimings } from '../upstream/relay-event-stream.ts';
import type { WholeAnswers } from '../upstream/relay-json.ts';
import type { PassthroughContext } from './passthrough-request.ts';

/** Parts that all chats share, in every API. */
export interface ChatContext extends WholeAnswers, PassthroughContext {
  streamTimings: StreamTimings;
  models: { readonly table: ModelTable | undefined };
}
