import express, { type ErrorRequestHandler, type Express } from 'express';
import { ProviderError } from './errors/provider-error.ts';
import type { ProviderExchange, Route } from './http/exchange.ts';
import { answerError, type ProviderState, serveExchange } from './http/serve-exchange.ts';
import { chatCompletions } from './routes/chat-completions.ts';
import { embeddings } from './routes/embeddings.ts';
import { images } from './routes/images.ts';
import { listModels, retrieveModel } from './routes/models.ts';
import { rerank } from './routes/rerank.ts';
import { speech } from './routes/speech.ts';
import { transcriptions } from './routes/transcriptions.ts';

const POST_ROUTES: Record<string, Route> = {
  '/v1/chat/completions': chatCompletions,
  '/v1/embeddings': embeddings,
  '/v1/rerank': rerank,
  '/v1/images/generations': images,
  '/v1/audio/speech': speech,
  '/v1/audio/transcriptions': transcriptions,
};

export function createApp(state: ProviderState): Express {
  const app = express();
  app.disable('x-powered-by');
  app.get('/v1/models', serveExchange(state, listModels));
  app.get('/v1/models/:model', serveExchange(state, retrieveModel));
  for (const [path, route] of Object.entries(POST_ROUTES)) app.post(path, serveExchange(state, route));
  app.use(serveExchange(state, unknownUrl));
  app.use(answerFrameworkError);
  return app;
}

function unknownUrl({ req }: ProviderExchange): never {
  throw new ProviderError(404, `Invalid URL (${req.method} ${req.url})`);
}

/** Answers only what fails before a route is reached, e.g. a path with a broken escape. */
const answerFrameworkError: ErrorRequestHandler = (_error, _req, res, _next) => {
  answerError({ fault: {}, res }, new ProviderError(400, 'The URL of the request is malformed.'));
};
