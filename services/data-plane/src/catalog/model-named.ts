import type { ModelTable, RoutedModel } from './model-table.ts';

/** Providers name a version of a model by its date, or leave that out. */
const DATE = /[-@]\d{8}$/;

/** The model that a provider calls by this name, with or without the date of its version. */
export function modelNamed({ models }: ModelTable, name: string): RoutedModel | undefined {
  const asked = name.replace(DATE, '');
  let dated: RoutedModel | undefined;
  for (const model of models.values()) {
    for (const upstream of model.upstreams) {
      if (upstream.model === name) return model;
      if (upstream.model.replace(DATE, '') === asked) dated ??= model;
    }
  }
  return dated;
}
