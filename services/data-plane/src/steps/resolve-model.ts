import type { Capability, GatewayError } from '@model-gateway/shared';
import {
  modelNotFound,
  modelsProviderAbsent,
  noCatalogYet,
  wrongEndpoint,
} from '@model-gateway/shared/errors';
import { applyPriceList, priceListOf } from '../catalog/apply-price-list.ts';
import { drawModels } from '../catalog/draw-models.ts';
import type { ModelChoice, ModelTable } from '../catalog/model-table.ts';
import { absentProvider, similarNames } from '../catalog/similar-names.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { RequestRecord } from '../request-record.ts';
import { allowedChoice, choiceNotAllowed } from '../rules/allowed-model.ts';
import type { RuledRecord } from '../rules/is-allowed.ts';
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
 * Resolves the names in a request to the models that may answer it. Skips models and upstreams that the rules
 * do not allow. The models have the prices of the payer's price list, which then hold for the whole request.
 * Sets `record.model` and `record.streamed`.
 * @param goesOnFrom id of the model whose response the request continues
 * @throws GatewayError 404 `model_not_found`, 400 `wrong_endpoint`, 403 `model_not_allowed`, 503 before the
 *   first catalog, or for paid models before the price list of the payer has arrived
 */
export function resolveModel(
  context: ResolveModelContext,
  { record }: AuthenticatedExchange,
  { model, models, streamed }: RequestedModels & { streamed: boolean },
  capability: Capability,
  goesOnFrom?: string,
): CandidateModels {
  const { table } = context.models;
  if (table === undefined) throw noCatalogYet();
  const isListed = models !== undefined;
  const param = isListed ? 'models' : 'model';
  const choiceOf = (name: string) => choiceNamed(table, record, { name, param, capability });
  const choice = choiceOf(model);
  const priceList = priceListOf(table, record.key);
  const listed = candidatesOf(record, choice, isListed, priceList);
  // Two aliases may name one model.
  for (const name of models?.slice(1) ?? [])
    for (const candidate of candidatesOf(record, choiceOf(name), isListed, priceList)) {
      const known = listed.find(({ model: { id } }) => id === candidate.model.id);
      if (known === undefined) listed.push(candidate);
      // It may be listed already as an unnamed member of a virtual model.
      else known.isNamed ||= candidate.isNamed;
    }
  const [first, ...others] = listed;
  record.model = first?.model ?? choice.members[0].model;
  record.streamed = streamed;
  if (first === undefined) throw choiceNotAllowed(record, choice, model, param);
  const candidates = withFirst([first, ...others], goesOnFrom);
  record.model = candidates[0].model;
  return candidates;
}

/** Puts the model of the earlier turn first, if it is a candidate. */
function withFirst(candidates: CandidateModels, id: string | undefined): CandidateModels {
  const first = id === undefined ? undefined : candidates.find(({ model }) => model.id === id);
  return first === undefined ? candidates : [first, ...candidates.filter((other) => other !== first)];
}

interface NamedModel {
  name: string;
  /** The field that names it. */
  param: string;
  capability: Capability;
}

function choiceNamed(
  table: ModelTable,
  record: RuledRecord,
  { capability, name, param }: NamedModel,
): ModelChoice {
  const choice = table.choices.get(name);
  if (choice === undefined) throw unknownModel(table, record, name, param);
  const [{ model }] = choice.members;
  // All members have one capability.
  if (model.capability !== capability) throw wrongEndpoint(model, param);
  return choice;
}

/**
 * Returns the allowed models of a choice: the first one, the other members of a virtual model, and the
 * fallbacks unless the caller lists models.
 */
function candidatesOf(
  record: RuledRecord & Pick<RequestRecord, 'affinityKey'>,
  choice: ModelChoice,
  isListed: boolean,
  priceList: ReturnType<typeof priceListOf>,
): CandidateModel[] {
  const allowed = allowedChoice(record, isListed ? { ...choice, fallbacks: [] } : choice);
  if (allowed === undefined) return [];
  const [asked, ...others] = drawModels(allowed, record.affinityKey);
  const first = { model: applyPriceList(asked, priceList), isNamed: true };
  return [first, ...others.map((model) => ({ model: applyPriceList(model, priceList), isNamed: false }))];
}

/** Suggests only names of models that the request may use. */
function unknownModel(
  { choices }: ModelTable,
  record: RuledRecord,
  name: string,
  param: string,
): GatewayError {
  const provider = absentProvider(choices.keys(), name);
  if (provider !== undefined) return modelsProviderAbsent(name, provider, param);
  const usable = [...choices].flatMap(([known, choice]) =>
    allowedChoice(record, choice) === undefined ? [] : [known],
  );
  return modelNotFound(name, param, similarNames(usable, name));
}
