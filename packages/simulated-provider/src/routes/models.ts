import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { lastSegment, type ProviderExchange } from '../http/exchange.ts';
import { findModel, MODELS, type SimulatedModel } from '../models.ts';

/** 2025-01-01; constant, so that answers can be compared. */
const CREATED = 1_735_689_600;

/** GET /v1/models */
export function listModels(): Answer {
  return jsonAnswer({ object: 'list', data: MODELS.map(modelObject) });
}

/** GET /v1/models/:model */
export function retrieveModel(exchange: ProviderExchange): Answer {
  return jsonAnswer(modelObject(findModel(lastSegment(exchange))));
}

function modelObject({ id }: SimulatedModel): object {
  return { id, object: 'model', created: CREATED, owned_by: 'simulated-provider' };
}
