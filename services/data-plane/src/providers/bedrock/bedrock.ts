import type { ProviderDialect } from '../dialect.ts';
import { awsCredentials } from './aws/aws-credentials.ts';
import { chat } from './chat.ts';
import { embeddings } from './embeddings/embeddings.ts';
import { head, probe } from './head.ts';
import { refusal } from './refusal.ts';
import { rerank } from './rerank/rerank.ts';

/**
 * The runtime of Amazon Bedrock: InvokeModel for the models of Anthropic and for all but chats, Converse for
 * all other chats.
 */
export const bedrock: ProviderDialect = {
  head,
  probe,
  requestIdHeader: 'x-amzn-requestid',
  refusal,
  credentialSource: ({ credentialEnv, region }) =>
    credentialEnv === undefined && region !== undefined ? awsCredentials(region) : undefined,
  endpoints: { chat, embeddings, rerank },
};
