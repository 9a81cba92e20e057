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
