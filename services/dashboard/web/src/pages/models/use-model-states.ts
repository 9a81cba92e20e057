import type { State } from '../status/status-mark.tsx';
import { useStatusAnswer } from '../status/use-status.ts';
import type { Model } from './matching-models.ts';

/** Tells the state of a model as the status page does. One that nobody calls is not operational. */
export function useModelStates(): (model: Pick<Model, 'id' | 'status'>) => State {
  const { data } = useStatusAnswer();
  const states = new Map(data?.models?.data.map(({ id, state }) => [id, state]));
  return ({ id, status }) => states.get(id) ?? (status === 'operational' ? 'unknown' : status);
}
