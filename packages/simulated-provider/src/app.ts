import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { agentsRerank } from './bedrock/rerank.ts';
import { serveBilling } from './billing/billing-routes.ts';
import { ProviderError } from './errors/provider-error.ts';
import type { ProviderExchange, Route } from './http/exchange.ts';
import { answerError, type ProviderState, serveExchange } from './http/serve-exchange.ts';
import { ANTHROPIC } from './protocols/anthropic.ts';
import { AZURE, AZURE_RESPONSES } from './protocols/azure.ts';
import { BEDROCK_CLAUDE, BEDROCK_CONVERSE } from './protocols/bedrock.ts';
import { COHERE } from './protocols/cohere.ts';
import { GEMINI } from './protocols/gemini.ts';
import { OPENAI, OPENAI_RESPONSES } from './protocols/openai.ts';
import type { Protocol } from './protocols/protocol.ts';
import { STRICT_SERVERS } from './protocols/strict-servers.ts';
import { VERTEX, VERTEX_CLAUDE } from './protocols/vertex.ts';
import * as bedrock from './routes/bedrock.ts';
import { chatCompletions, strictChatCompletions } from './routes/chat-completions.ts';
import { listClaudeModels, retrieveClaudeModel } from './routes/claude-models.ts';
import { cohereChat, cohereEmbed, cohereRerank } from './routes/cohere.ts';
import { completions } from './routes/completions.ts';
import { embeddings } from './routes/embeddings.ts';
import { geminiMethod, listGeminiModels } from './routes/gemini.ts';
import { imageEdits } from './routes/image-edits.ts';
import { images } from './routes/images.ts';
import { countMessageTokens, messages } from './routes/messages.ts';
import { listModels, retrieveModel } from './routes/models.ts';
import { moderations } from './routes/moderations.ts';
import { rerank } from './routes/rerank.ts';
import * as responses from './routes/responses.ts';
import { speech } from './routes/speech.ts';
import { transcriptions } from './routes/transcriptions.ts';
import { vertexClaude, vertexMethod } from './routes/vertex.ts';
import { serveTokens } from './tokens/token-routes.ts';

type Method = 'get' | 'post' | 'delete';
type RouteEntry = readonly [method: Method, path: string, protocol: Protocol, route: Route];

const PUBLISHERS = '/v1/projects/:project/locations/:location/publishers';

const ROUTES: readonly RouteEntry[] = [
  ['post', '/v1/rerank', OPENAI, rerank],
  ['post', '/v1/moderations', OPENAI, moderations],
  ...openAiRoutes('/v1', OPENAI, OPENAI_RESPONSES),
  ...Object.entries(STRICT_SERVERS).flatMap(([name, server]): RouteEntry[] => [
    ['post', `/${name}/v1/chat/completions`, server.protocol, strictChatCompletions(server)],
    ['get', `/${name}/v1/models`, server.protocol, listModels],
  ]),
  ['get', '/openai/v1/models', AZURE, listModels],
  ...openAiRoutes('/openai/v1', AZURE, AZURE_RESPONSES),
  ['post', '/v1/messages', ANTHROPIC, messages],
  ['post', '/v1/messages/count_tokens', ANTHROPIC, countMessageTokens],
  ['post', '/model/:model/converse', BEDROCK_CONVERSE, bedrock.converse],
  ['post', '/model/:model/converse-stream', BEDROCK_CONVERSE, bedrock.converseStream],
  ['post', '/model/:model/invoke', BEDROCK_CLAUDE, bedrock.invoke],
  ['post', '/model/:model/invoke-with-response-stream', BEDROCK_CLAUDE, bedrock.invokeStream],
  ['post', '/model/:model/count-tokens', BEDROCK_CLAUDE, bedrock.countTokens],
  ['post', '/rerank', BEDROCK_CONVERSE, agentsRerank],
  ['get', '/v1beta/models', GEMINI, listGeminiModels],
  ['post', '/v1beta/models/:modelMethod', GEMINI, geminiMethod],
  ['post', `${PUBLISHERS}/google/models/:modelMethod`, VERTEX, vertexMethod],
  ['post', `${PUBLISHERS}/anthropic/models/:modelMethod`, VERTEX_CLAUDE, vertexClaude],
  ['post', '/v2/chat', COHERE, cohereChat],
  ['post', '/v2/embed', COHERE, cohereEmbed],
  ['post', '/v2/rerank', COHERE, cohereRerank],
];

/** Returns the routes that OpenAI and Azure share. */
function openAiRoutes(prefix: string, chatProtocol: Protocol, responsesProtocol: Protocol): RouteEntry[] {
  return [
    ['post', `${prefix}/chat/completions`, chatProtocol, chatCompletions],
    ['post', `${prefix}/completions`, chatProtocol, completions],
    ['post', `${prefix}/embeddings`, chatProtocol, embeddings],
    ['post', `${prefix}/images/generations`, chatProtocol, images],
    ['post', `${prefix}/images/edits`, chatProtocol, imageEdits],
    ['post', `${prefix}/audio/speech`, chatProtocol, speech],
    ['post', `${prefix}/audio/transcriptions`, chatProtocol, transcriptions],
    ['post', `${prefix}/responses`, responsesProtocol, responses.createResponse],
    ['post', `${prefix}/responses/compact`, responsesProtocol, responses.compactResponse],
    ['get', `${prefix}/responses/:id`, responsesProtocol, responses.retrieveResponse],
    ['delete', `${prefix}/responses/:id`, responsesProtocol, responses.deleteResponse],
    ['post', `${prefix}/responses/:id/cancel`, responsesProtocol, responses.cancelResponse],
    ['get', `${prefix}/responses/:id/input_items`, responsesProtocol, responses.listInputItems],
  ];
}

export function createApp(state: ProviderState): Express {
  const app = express();
  app.disable('x-powered-by');
  /** OpenAI and Anthropic share some paths. Anthropic requires a header that tells them apart. */
  const byVersion = (openAiRoute: Route, anthropicRoute: Route): RequestHandler => {
    const serveOpenAi = serveExchange(state, OPENAI, openAiRoute);
    const serveAnthropic = serveExchange(state, ANTHROPIC, anthropicRoute);
    return (req, res, next) =>
      ('anthropic-version' in req.headers ? serveAnthropic : serveOpenAi)(req, res, next);
  };
  serveBilling(app, state);
  app.get('/v1/models', byVersion(listModels, listClaudeModels));
  app.get('/v1/models/:model', byVersion(retrieveModel, retrieveClaudeModel));
  for (const [method, path, protocol, route] of ROUTES)
    app[method](path, serveExchange(state, protocol, route));
  serveTokens(app, state.tokens);
  app.use(
    '/openai',
    serveExchange(state, AZURE, () => refuseUnknown('Resource not found')),
  );
  app.use(byVersion(unknownUrl, () => refuseUnknown('Not Found')));
  app.use(answerFrameworkError);
  return app;
}

function unknownUrl({ req }: ProviderExchange): never {
  return refuseUnknown(`Invalid URL (${req.method} ${req.url})`);
}

function refuseUnknown(message: string): never {
  throw new ProviderError(404, message);
}

/** Answers only errors before a route is reached, such as a path with a broken escape. */
const answerFrameworkError: ErrorRequestHandler = (_error, _req, res, _next) => {
  const error = new ProviderError(400, 'The URL of the request is malformed.');
  answerError({ fault: {}, protocol: OPENAI, requestId: '', res }, error);
};
