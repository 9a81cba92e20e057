import { ApiError } from '../../api/client.ts';

export interface Advice {
  text: string;
  /** The page on which to do it. */
  link?: { to: string; label: string };
  /** Only the operator can add a pool. The page then shows the command to send to them. */
  needsOperator?: boolean;
}

const anotherModel: Advice = {
  text: 'Choose another model.',
  link: { to: '/dashboard/models', label: 'See all models' },
};
const tryAgain: Advice = {
  text: 'Try again in a moment, or choose another model.',
  link: { to: '/status', label: 'See the status' },
};

/**
 * Returns advice after a failed chat; undefined: the error message is enough.
 * @param aboutMoney the advice for too little money
 */
export function adviseOnError(error: unknown, aboutMoney: Advice): Advice | undefined {
  if (!(error instanceof ApiError)) return undefined;
  switch (error.status) {
    case 402:
      return aboutMoney;
    case 404:
      return anotherModel;
    case 429:
      return {
        text:
          error.retryAfterSeconds === null
            ? 'Wait a few seconds, then try again.'
            : `Wait ${error.retryAfterSeconds} s, then try again.`,
        link: { to: '/dashboard/usage', label: 'See your limits' },
      };
    case 503:
      // If waiting helps, the gateway says how long.
      if (error.code === 'model_unavailable' && error.retryAfterSeconds === null) return anotherModel;
      return tryAgain;
    case 502:
    case 504:
      return error.isRetryUseless ? anotherModel : tryAgain;
    default:
      return undefined;
  }
}
