import type { Capability } from './capability.ts';

export interface NamedModel {
  id: string;
  aliases: readonly string[];
  fallbacks: readonly string[];
  capability?: Capability;
  tier?: 'free' | 'paid';
  models?: readonly { model: string }[];
}

export interface NameProblem {
  index: number;
  path: PropertyKey[];
  message: string;
}

type Served = NamedModel & Required<Pick<NamedModel, 'capability' | 'tier'>>;

/**
 * Finds ambiguous aliases, and fallbacks and members of virtual models that do not exist or differ in
 * capability or tier. If two models have one alias, the first is reported.
 */
export function nameProblems(models: readonly NamedModel[]): NameProblem[] {
  const byId = new Map(models.map((model) => [model.id, model]));
  const lastWithAlias = new Map(
    models.flatMap(({ aliases, id }) => aliases.map((alias) => [alias, id] as const)),
  );
  return models.flatMap((model, index) =>
    [
      ...aliasProblems(model, byId, lastWithAlias),
      ...memberProblems(model, byId),
      ...fallbackProblems(model, byId),
    ].map((problem) => ({ index, ...problem })),
  );
}

type OwnProblem = Omit<NameProblem, 'index'>;

function aliasProblems(
  { aliases, id }: NamedModel,
  byId: ReadonlyMap<string, NamedModel>,
  lastWithAlias: ReadonlyMap<string, string>,
): OwnProblem[] {
  return aliases.flatMap((alias, position) => {
    const path = ['aliases', position];
    const other = lastWithAlias.get(alias) ?? id;
    if (byId.has(alias)) return [{ path, message: `"${alias}" is the id of a model already` }];
    if (aliases.indexOf(alias) !== position) return [{ path, message: `"${alias}" is listed twice` }];
    return other === id ? [] : [{ path, message: `"${alias}" is also an alias of "${other}"` }];
  });
}

function memberProblems({ models = [] }: NamedModel, byId: ReadonlyMap<string, NamedModel>): OwnProblem[] {
  const ids = models.map(({ model }) => model);
  const first = servedAmong(ids, byId);
  return ids.flatMap((id, position) => {
    const message = ids.indexOf(id) === position ? targetProblem(id, first, byId) : `"${id}" is listed twice`;
    return message === undefined ? [] : [{ path: ['models', position, 'model'], message }];
  });
}

function fallbackProblems(model: NamedModel, byId: ReadonlyMap<string, NamedModel>): OwnProblem[] {
  const members = model.models?.map((member) => member.model) ?? [model.id];
  const own = servedAmong(members, byId);
  return model.fallbacks.flatMap((id, position) => {
    const message =
      model.fallbacks.indexOf(id) !== position
        ? `"${id}" is listed twice`
        : members.includes(id)
          ? `"${id}" is already tried before the fallbacks`
          : targetProblem(id, own, byId);
    return message === undefined ? [] : [{ path: ['fallbacks', position], message }];
  });
}

function servedAmong(ids: readonly string[], byId: ReadonlyMap<string, NamedModel>): Served | undefined {
  return ids.map((id) => byId.get(id)).find((model) => model !== undefined && isServed(model));
}

function isServed(model: NamedModel): model is Served {
  return model.capability !== undefined && model.tier !== undefined;
}

/** Returns why a model cannot serve requests for another; undefined: it can. */
function targetProblem(
  id: string,
  like: Served | undefined,
  byId: ReadonlyMap<string, NamedModel>,
): string | undefined {
  const target = byId.get(id);
  if (target === undefined) return `no model "${id}" in this file`;
  if (!isServed(target)) return `"${id}" is a virtual model: name models that have upstreams`;
  if (like === undefined) return undefined;
  if (target.capability !== like.capability)
    return `"${id}" is for ${target.capability}, and "${like.id}" for ${like.capability}`;
  if (target.tier !== like.tier)
    return `"${id}" is ${target.tier}, and "${like.id}" ${like.tier}: name models of one tier`;
  return undefined;
}
