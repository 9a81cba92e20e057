import type { Capability, GatewayError } from '@model-gateway/shared';
import {
  modelNotFound,
  modelsProviderAbsent,
  noCatalogYet,
  wrongEndpoint,
} from '@model-gateway/shared/errors';
import type { AffinityKey } from '../affinity/rendezvous.ts';
import { drawModels } from '../catalog/draw-models.ts';
import type { ModelTable } from '../catalog/model-table.ts';
import { absentProvider, similarNames } from '../catalog/similar-names.ts';
import type { Exchange } from '../http/exchange.ts';
import type { CandidateModel, CandidateModels } from '../upstream/candidates.ts';

export interface ResolveModelContext {
  models: { readonly table: ModelTable | undefined };
}

export interface RequestedModels {
  model: string;
  /** All models, in order, if the caller lists them; undefined: `model` and its fallbacks. */
  models?: readonly string[] | undefined;
}

/**
 * Resolves the names in a request to the models that may answer it. Sets `record.model` and
 * `record.streamed`.
 * @param goesOnFrom id of the model whose response the request continues
 * @throws GatewayError 404 `model_not_found`, 400 `wrong_endpoint`, 503 before the first catalog
 */
export function resolveModel(
  context: ResolveModelContext,
  exchange: Exchange,
  { model, models, streamed }: RequestedModels & { streamed: boolean },
  capability: Capability,
  goesOnFrom?: string,
): CandidateModels {
  const { table } = context.models;
  if (table === undefined) throw noCatalogYet();
  const isListed = models !== undefined;
  const { affinityKey } = exchange.record;
  const listed = candidatesNamed(table, model, { affinityKey, capability, isListed });
  // Two aliases may name one model.
  for (const name of models?.slice(1) ?? [])
    for (const candidate of candidatesNamed(table, name, { affinityKey, capability, isListed })) {
      const known = listed.find(({ model: { id } }) => id === candidate.model.id);
      if (known === undefined) listed.push(candidate);
      // It may be listed already as an unnamed member of a virtual model.
      else known.isNamed ||= candidate.isNamed;
    }
  const candidates = withFirst(listed, goesOnFrom);
  exchange.record.model = candidates[0].model;
  exchange.record.streamed = streamed;
  return candidates;
}

/** Puts the model of the earlier turn first, if it is a candidate. */
function withFirst(candidates: CandidateModels, id: string | undefined): CandidateModels {
  const first = id === undefined ? undefined : candidates.find(({ model }) => model.id === id);
  return first === undefined ? candidates : [first, ...candidates.filter((other) => other !== first)];
}

interface Draw {
  affinityKey: AffinityKey | undefined;
  capability: Capability;
  isListed: boolean;
}

/**
 * Returns the model of a name, the other members of a virtual model, and its fallbacks unless the caller
 * lists models.
 */
function candidatesNamed(
  table: ModelTable,
  name: string,
  { affinityKey, capability, isListed }: Draw,
): [CandidateModel, ...CandidateModel[]] {
  const param = isListed ? 'models' : 'model';
  const choice = table.choices.get(name);
  if (choice === undefined) throw unknownModel(table, name, param);
  const [asked, ...others] = drawModels(isListed ? { ...choice, fallbacks: [] } : choice, affinityKey);
  if (asked.capability !== capability) throw wrongEndpoint(asked, param);
  return [{ model: asked, isNamed: true }, ...others.map((model) => ({ model, isNamed: false }))];
}

function unknownModel({ choices }: ModelTable, name: string, param: string): GatewayError {
  const provider = absentProvider(choices.keys(), name);
  if (provider !== undefined) return modelsProviderAbsent(name, provider, param);
  return modelNotFound(name, param, similarNames(choices.keys(), name));
}
