import type { State } from '../status/status-mark.tsx';
import { useStatusResponse } from '../status/use-status.ts';
import type { Model } from './matching-models.ts';

/**
 * Returns the state of a model as on the status page. Without traffic it is unknown, not operational. A
 * virtual model is operational if one of its models is.
 */
export function useModelStates(): (model: Pick<Model, 'id' | 'status' | 'models'>) => State {
  const { data } = useStatusResponse();
  const states = new Map(data?.models?.data.map(({ id, state }) => [id, state]));
  return ({ id, status, models = [] }) => {
    const known = [id, ...models.map(({ model }) => model)].flatMap((each) => states.get(each) ?? []);
    const best = known.includes('operational') ? 'operational' : known[0];
    return best ?? (status === 'operational' ? 'unknown' : status);
  };
}
