import type { ProviderDialect } from '../dialect.ts';
import { awsCredentials } from './aws/aws-credentials.ts';
import { chat } from './chat.ts';
import { head, probe } from './head.ts';
import { refusal } from './refusal.ts';

/** The runtime of Amazon Bedrock: InvokeModel for the models of Anthropic, Converse for all others. */
export const bedrock: ProviderDialect = {
  head,
  probe,
  requestIdHeader: 'x-amzn-requestid',
  refusal,
  credentialSource: ({ credentialEnv, region }) =>
    credentialEnv === undefined && region !== undefined ? awsCredentials(region) : undefined,
  endpoints: { chat },
};
