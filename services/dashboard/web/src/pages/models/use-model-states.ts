import type { State } from '../status/status-mark.tsx';
import { useStatusAnswer } from '../status/use-status.ts';
import type { Model } from './matching-models.ts';

/**
 * Tells the state of a model as the status page does. One that nobody calls is not operational. A virtual one
 * does as well as the best of its models.
 */
export function useModelStates(): (model: Pick<Model, 'id' | 'status' | 'models'>) => State {
  const { data } = useStatusAnswer();
  const states = new Map(data?.models?.data.map(({ id, state }) => [id, state]));
  return ({ id, status, models = [] }) => {
    const known = [id, ...models.map(({ model }) => model)].flatMap((each) => states.get(each) ?? []);
    const best = known.includes('operational') ? 'operational' : known[0];
    return best ?? (status === 'operational' ? 'unknown' : status);
  };
}
