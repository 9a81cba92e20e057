import { type Answer, jsonAnswer } from '../answers/answer.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { MODELS, modelNotFound, type SimulatedModel } from '../models.ts';

/** 2025-01-01; it never changes, so that answers can be compared. */
const CREATED = 1_735_689_600;

/** GET /v1/models */
export function listModels(): Answer {
  return jsonAnswer({ object: 'list', data: MODELS.map(modelObject) });
}

/** GET /v1/models/:model */
export function retrieveModel({ req }: ProviderExchange): Answer {
  const id = decodeURIComponent(new URL(req.url ?? '', 'http://localhost').pathname.split('/').at(-1) ?? '');
  const model = MODELS.find((entry) => entry.id === id);
  if (model === undefined) throw modelNotFound(id);
  return jsonAnswer(modelObject(model));
}

function modelObject({ id }: SimulatedModel): object {
  return { id, object: 'model', created: CREATED, owned_by: 'simulated-provider' };
}
