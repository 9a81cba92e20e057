import type { ModelTable, RoutedModel } from './model-table.ts';

/** Date suffix of a model version, which providers may omit. */
const DATE = /[-@]\d{8}$/;

/** Finds the model whose upstream has this name, with or without the date of its version. */
export function modelNamed({ models }: ModelTable, name: string): RoutedModel | undefined {
  const undated = name.replace(DATE, '');
  let dated: RoutedModel | undefined;
  for (const model of models.values()) {
    for (const upstream of model.upstreams) {
      if (upstream.model === name) return model;
      if (upstream.model.replace(DATE, '') === undated) dated ??= model;
    }
  }
  return dated;
}

/** Returns the models that have this name at one of these providers, as `modelNamed` compares names. */
export function modelsNamed(
  { models }: ModelTable,
  name: string,
  providers: ReadonlySet<string>,
): readonly RoutedModel[] {
  const withName = (isName: (upstreamModel: string) => boolean) =>
    [...models.values()].filter(({ upstreams }) =>
      upstreams.some(({ model, provider }) => providers.has(provider.id) && isName(model)),
    );
  const exact = withName((model) => model === name);
  const undated = name.replace(DATE, '');
  return exact.length > 0 ? exact : withName((model) => model.replace(DATE, '') === undated);
}
