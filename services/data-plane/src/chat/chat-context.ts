import type { ModelTable } from '../catalog/model-table.ts';
import type { StreamTimings } from '../upstream/relay-event-stream.ts';
import type { WholeAnswers } from '../upstream/relay-json.ts';
import type { PassthroughContext } from './passthrough-request.ts';

/** What the chats of one process share, in whichever API they are asked. */
export interface ChatContext extends WholeAnswers, PassthroughContext {
  streamTimings: StreamTimings;
  models: { readonly table: ModelTable | undefined };
}
