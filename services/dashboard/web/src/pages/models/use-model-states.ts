import { useCallback, useMemo } from 'react';
import type { State } from '../status/status-mark.tsx';
import { useStatusResponse } from '../status/use-status.ts';
import type { Model } from './matching-models.ts';

/**
 * Returns the state of a model as on the status page. Without traffic it is unknown, not operational. A
 * virtual model is operational if one of its models is. The function changes only with the states.
 */
export function useModelStates(): (model: Pick<Model, 'id' | 'status' | 'models'>) => State {
  const entries = useStatusResponse().data?.models?.data;
  const states = useMemo(() => new Map(entries?.map(({ id, state }) => [id, state])), [entries]);
  return useCallback(
    ({ id, status, models = [] }) => {
      const ids = [id, ...models.map(({ model }) => model)];
      const known = ids.flatMap((each) => states.get(each) ?? []);
      const best = known.includes('operational') ? 'operational' : known[0];
      return best ?? (status === 'operational' ? 'unknown' : status);
    },
    [states],
  );
}
