import type { Capability } from '@model-gateway/shared';
import { modelNotFound, noCatalogYet, wrongEndpoint } from '@model-gateway/shared/errors';
import { drawModels } from '../catalog/draw-models.ts';
import type { ModelTable } from '../catalog/model-table.ts';
import type { Exchange } from '../http/exchange.ts';
import type { CandidateModel, CandidateModels } from '../upstream/candidates.ts';

export interface ResolveModelContext {
  models: { readonly table: ModelTable | undefined };
}

export interface AskedModels {
  model: string;
  /**
   * All of them, in order, where the caller lists them; undefined: `model`, and its fallbacks of the catalog.
   */
  models?: readonly string[] | undefined;
}

/**
 * From the names in the request to the models that may answer it. Sets `record.model` and `record.streamed`.
 *
 * @param goesOnFrom the id of the model that has made what the request goes on from, where its API has such a
 *   thing
 * @throws GatewayError 404 `model_not_found`, 400 `wrong_endpoint`, 503 when the catalog is not there yet
 */
export function resolveModel(
  context: ResolveModelContext,
  exchange: Exchange,
  { model, models, streamed }: AskedModels & { streamed: boolean },
  capability: Capability,
  goesOnFrom?: string,
): CandidateModels {
  const { table } = context.models;
  if (table === undefined) throw noCatalogYet();
  const isListed = models !== undefined;
  const listed = candidatesNamed(table, model, capability, isListed);
  // Aliases may be two names of one.
  for (const name of models?.slice(1) ?? [])
    for (const candidate of candidatesNamed(table, name, capability, isListed)) {
      const known = listed.find(({ model: { id } }) => id === candidate.model.id);
      if (known === undefined) listed.push(candidate);
      // It may have been there as a member of a virtual model, which nobody had named.
      else known.isNamed ||= candidate.isNamed;
    }
  const candidates = withFirst(listed, goesOnFrom);
  exchange.record.model = candidates[0].model;
  exchange.record.streamed = streamed;
  return candidates;
}

/** Puts the model of the earlier turn first, if it is among the candidates. */
function withFirst(candidates: CandidateModels, id: string | undefined): CandidateModels {
  const first = id === undefined ? undefined : candidates.find(({ model }) => model.id === id);
  return first === undefined ? candidates : [first, ...candidates.filter((other) => other !== first)];
}

/**
 * The model of a name, the other members where it is a virtual one, and, unless it is listed, its fallbacks.
 */
function candidatesNamed(
  table: ModelTable,
  name: string,
  capability: Capability,
  isListed: boolean,
): [CandidateModel, ...CandidateModel[]] {
  const param = isListed ? 'models' : 'model';
  const choice = table.choices.get(name);
  if (choice === undefined) throw modelNotFound(name, param);
  const [asked, ...others] = drawModels(isListed ? { ...choice, fallbacks: [] } : choice);
  if (asked.capability !== capability) throw wrongEndpoint(asked, param);
  return [{ model: asked, isNamed: true }, ...others.map((model) => ({ model, isNamed: false }))];
}
