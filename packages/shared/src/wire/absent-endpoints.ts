/** A part of OpenAI's API, or of Anthropic's, that the gateway does not have. */
export interface AbsentEndpoint {
  /** The path. Paths below it belong to it. */
  path: string;
  /** The purpose of the endpoint, as a noun. */
  what: string;
  /** The alternative here; left out: there is none. */
  instead?: string;
  /** Whose API it is part of; left out: OpenAI's. */
  api?: 'OpenAI' | 'Anthropic';
}

/** Source: the paths in OpenAI's own client library 7, and its API reference. */
export const ABSENT_ENDPOINTS: readonly AbsentEndpoint[] = [
  { path: '/v1/conversations', what: 'stored conversations', instead: 'send all messages with each request' },
  { path: '/v1/realtime', what: 'speech in real time' },
  { path: '/v1/live', what: 'live sessions' },
  { path: '/v1/images/variations', what: 'variations of images', instead: 'POST /v1/images/edits' },
  { path: '/v1/audio/translations', what: 'translation of speech', instead: 'POST /v1/audio/transcriptions' },
  { path: '/v1/audio/voices', what: 'custom voices' },
  { path: '/v1/audio/voice_consents', what: 'custom voices' },
  { path: '/v1/videos', what: 'videos' },
  { path: '/v1/files', what: 'stored files', instead: 'send the content with the request' },
  { path: '/v1/uploads', what: 'uploads in parts', instead: 'send the content with the request' },
  { path: '/v1/batches', what: 'batches', instead: 'send the requests one by one' },
  { path: '/v1/vector_stores', what: 'vector stores', instead: 'POST /v1/embeddings and /v1/rerank' },
  { path: '/v1/fine_tuning', what: 'fine-tuning' },
  { path: '/v1/evals', what: 'evaluations' },
  { path: '/v1/containers', what: 'containers for code' },
  { path: '/v1/skills', what: 'skills' },
  { path: '/v1/agents', what: 'hosted agents' },
  { path: '/v1/assistants', what: 'assistants', instead: 'POST /v1/chat/completions' },
  { path: '/v1/threads', what: 'threads of assistants', instead: 'POST /v1/chat/completions' },
  { path: '/v1/chatkit', what: 'ChatKit' },
  { path: '/v1/webhook_endpoints', what: 'webhooks' },
  {
    path: '/v1/organization',
    what: 'the administration of an organization',
    instead: 'GET /v1/usage, or the dashboard',
  },
];

const api = 'Anthropic';

/** Endpoints that only Anthropic's API has. Source: the paths in Anthropic's own client library 1. */
export const ABSENT_ANTHROPIC_ENDPOINTS: readonly AbsentEndpoint[] = [
  { api, path: '/v1/messages/batches', what: 'batches of messages', instead: 'send the requests one by one' },
  { api, path: '/v1/complete', what: 'completions of plain text', instead: 'POST /v1/messages' },
  { api, path: '/v1/sessions', what: 'sessions of hosted agents' },
  { api, path: '/v1/environments', what: 'environments of hosted agents' },
  { api, path: '/v1/vaults', what: 'secrets of hosted agents' },
  { api, path: '/v1/memory_stores', what: 'the memory of hosted agents' },
  {
    api,
    path: '/v1/organizations',
    what: 'the administration of an organization',
    instead: 'GET /v1/usage, or the dashboard',
  },
];

const BY_PATH: ReadonlyMap<string, AbsentEndpoint> = new Map(
  [...ABSENT_ENDPOINTS, ...ABSENT_ANTHROPIC_ENDPOINTS].map((endpoint) => [endpoint.path, endpoint]),
);

/**
 * Finds the part of OpenAI's or Anthropic's API that a path belongs to, if the gateway does not have it.
 * @param path without a query
 */
export function absentEndpoint(path: string): AbsentEndpoint | undefined {
  // No path of the list has more than two segments after /v1.
  const [empty, version, first, second] = path.split('/', 5);
  if (empty !== '' || version !== 'v1' || first === undefined) return undefined;
  return BY_PATH.get(`/v1/${first}/${second}`) ?? BY_PATH.get(`/v1/${first}`);
}
