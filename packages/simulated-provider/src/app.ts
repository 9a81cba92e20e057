import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { agentsRerank } from './bedrock/rerank.ts';
import { ProviderError } from './errors/provider-error.ts';
import type { ProviderExchange, Route } from './http/exchange.ts';
import { answerError, type ProviderState, serveExchange } from './http/serve-exchange.ts';
import { ANTHROPIC } from './protocols/anthropic.ts';
import { AZURE, AZURE_RESPONSES } from './protocols/azure.ts';
import { BEDROCK_CLAUDE, BEDROCK_CONVERSE } from './protocols/bedrock.ts';
import { COHERE } from './protocols/cohere.ts';
import { GEMINI } from './protocols/gemini.ts';
import { OPENAI, OPENAI_RESPONSES } from './protocols/openai.ts';
import { STRICT_SERVERS } from './protocols/strict-servers.ts';
import { VERTEX, VERTEX_CLAUDE } from './protocols/vertex.ts';
import {
  converse,
  converseStream,
  countTokens as countAtBedrock,
  invoke,
  invokeStream,
} from './routes/bedrock.ts';
import { chatCompletions, strictChatCompletions } from './routes/chat-completions.ts';
import { listClaudeModels, retrieveClaudeModel } from './routes/claude-models.ts';
import { cohereChat, cohereEmbed, cohereRerank } from './routes/cohere.ts';
import { embeddings } from './routes/embeddings.ts';
import { geminiMethod, listGeminiModels } from './routes/gemini.ts';
import { images } from './routes/images.ts';
import { countTokens, messages } from './routes/messages.ts';
import { listModels, retrieveModel } from './routes/models.ts';
import { rerank } from './routes/rerank.ts';
import {
  cancelResponse,
  createResponse,
  deleteResponse,
  listInputItems,
  retrieveResponse,
} from './routes/responses.ts';
import { speech } from './routes/speech.ts';
import { transcriptions } from './routes/transcriptions.ts';
import { vertexClaude, vertexMethod } from './routes/vertex.ts';
import { serveTokens } from './tokens/token-routes.ts';

/** Routes that Azure has, too. */
const OPENAI_ROUTES: Record<string, Route> = {
  '/chat/completions': chatCompletions,
  '/embeddings': embeddings,
  '/images/generations': images,
  '/audio/speech': speech,
  '/audio/transcriptions': transcriptions,
};
const COHERE_ROUTES: Record<string, Route> = {
  '/v2/chat': cohereChat,
  '/v2/embed': cohereEmbed,
  '/v2/rerank': cohereRerank,
};
const IN_PROJECT = '/v1/projects/:project/locations/:location/publishers';
const VERTEX_MODELS = {
  google: `${IN_PROJECT}/google/models`,
  anthropic: `${IN_PROJECT}/anthropic/models`,
};
const ANTHROPIC_ROUTES: Record<string, Route> = {
  '/v1/messages': messages,
  '/v1/messages/count_tokens': countTokens,
};

export function createApp(state: ProviderState): Express {
  const app = express();
  app.disable('x-powered-by');
  const ofOpenAi = (route: Route) => serveExchange(state, OPENAI, route);
  const ofAnthropic = (route: Route) => serveExchange(state, ANTHROPIC, route);
  app.get('/v1/models', byVersion(ofOpenAi(listModels), ofAnthropic(listClaudeModels)));
  app.get('/v1/models/:model', byVersion(ofOpenAi(retrieveModel), ofAnthropic(retrieveClaudeModel)));
  app.post('/v1/rerank', ofOpenAi(rerank));
  serveOpenAi('/v1', ofOpenAi, (route) => serveExchange(state, OPENAI_RESPONSES, route));
  for (const [name, server] of Object.entries(STRICT_SERVERS)) {
    const path = `/${name}/v1/chat/completions`;
    app.post(path, serveExchange(state, server.protocol, strictChatCompletions(server)));
    app.get(`/${name}/v1/models`, serveExchange(state, server.protocol, listModels));
  }
  const ofAzure = (route: Route) => serveExchange(state, AZURE, route);
  app.get('/openai/v1/models', ofAzure(listModels));
  serveOpenAi('/openai/v1', ofAzure, (route) => serveExchange(state, AZURE_RESPONSES, route));
  app.use('/openai', ofAzure(resourceNotFound));
  for (const [path, route] of Object.entries(ANTHROPIC_ROUTES)) app.post(path, ofAnthropic(route));
  app.post('/model/:model/converse', serveExchange(state, BEDROCK_CONVERSE, converse));
  app.post('/model/:model/converse-stream', serveExchange(state, BEDROCK_CONVERSE, converseStream));
  app.post('/model/:model/invoke', serveExchange(state, BEDROCK_CLAUDE, invoke));
  app.post('/model/:model/invoke-with-response-stream', serveExchange(state, BEDROCK_CLAUDE, invokeStream));
  app.post('/model/:model/count-tokens', serveExchange(state, BEDROCK_CLAUDE, countAtBedrock));
  app.post('/rerank', serveExchange(state, BEDROCK_CONVERSE, agentsRerank));
  const ofGemini = (route: Route) => serveExchange(state, GEMINI, route);
  app.get('/v1beta/models', ofGemini(listGeminiModels));
  app.post('/v1beta/models/:called', ofGemini(geminiMethod));
  app.post(`${VERTEX_MODELS.google}/:called`, serveExchange(state, VERTEX, vertexMethod));
  app.post(`${VERTEX_MODELS.anthropic}/:called`, serveExchange(state, VERTEX_CLAUDE, vertexClaude));
  serveTokens(app, state.tokens);
  for (const [path, route] of Object.entries(COHERE_ROUTES))
    app.post(path, serveExchange(state, COHERE, route));
  app.use(byVersion(ofOpenAi(unknownUrl), ofAnthropic(notFound)));
  app.use(answerFrameworkError);
  return app;

  function serveOpenAi(prefix: string, ofChat: Serve, ofResponses: Serve): void {
    for (const [path, route] of Object.entries(OPENAI_ROUTES)) app.post(prefix + path, ofChat(route));
    app.post(`${prefix}/responses`, ofResponses(createResponse));
    app.get(`${prefix}/responses/:id`, ofResponses(retrieveResponse));
    app.delete(`${prefix}/responses/:id`, ofResponses(deleteResponse));
    app.post(`${prefix}/responses/:id/cancel`, ofResponses(cancelResponse));
    app.get(`${prefix}/responses/:id/input_items`, ofResponses(listInputItems));
  }
}

type Serve = (route: Route) => RequestHandler;

/** Both APIs have these paths. The header without which Anthropic answers nothing tells them apart. */
function byVersion(ofOpenAi: RequestHandler, ofAnthropic: RequestHandler): RequestHandler {
  return (req, res, next) => ('anthropic-version' in req.headers ? ofAnthropic : ofOpenAi)(req, res, next);
}

function unknownUrl({ req }: ProviderExchange): never {
  throw new ProviderError(404, `Invalid URL (${req.method} ${req.url})`);
}

function resourceNotFound(): never {
  throw new ProviderError(404, 'Resource not found');
}

function notFound(): never {
  throw new ProviderError(404, 'Not Found');
}

/** Answers only what fails before a route is reached, e.g. a path with a broken escape. */
const answerFrameworkError: ErrorRequestHandler = (_error, _req, res, _next) => {
  const error = new ProviderError(400, 'The URL of the request is malformed.');
  answerError({ fault: {}, protocol: OPENAI, requestId: '', res }, error);
};
