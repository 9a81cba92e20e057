import type { FuzzTarget } from '../fuzz-target.ts';
import { awsFrames } from './aws-frames.ts';
import { capabilities } from './capabilities.ts';
import { chatRequests } from './chat-requests.ts';
import { chatStreams } from './chat-streams.ts';
import { chatWholes } from './chat-wholes.ts';
import { forms } from './forms.ts';
import { framing } from './framing.ts';
import { gatewayChats } from './gateway-chats.ts';
import { gatewayEndpoints } from './gateway-endpoints.ts';
import { jsonBytes } from './json-bytes.ts';
import { jsonText } from './json-text.ts';
import { providerErrors } from './provider-errors.ts';
import { catalogSchema, catalogText, sealed, usageQueries } from './small-parsers.ts';
import { sse } from './sse.ts';

export const TARGETS: readonly FuzzTarget[] = [
  jsonText,
  jsonBytes,
  sse,
  awsFrames,
  chatRequests,
  chatStreams,
  chatWholes,
  capabilities,
  providerErrors,
  usageQueries,
  sealed,
  catalogText,
  catalogSchema,
  framing,
  forms,
  gatewayChats,
  gatewayEndpoints,
];
