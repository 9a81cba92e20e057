import { useEffect, useRef } from 'react';
import type { SessionResponse } from '../../../wire/session.ts';
import { ApiError, getJson } from '../api/client.ts';
import { type Action, useAction } from '../api/use-action.ts';
import { refreshSession } from './sign-out.ts';
import { useSession } from './use-session.ts';

/** Name of the channel on which the window of the sign-in reports that it is done. */
export const SIGNED_IN_AGAIN = 'signed in again';

const CHECK_MS = 500;

/**
 * Lets the user sign in again with an identity provider, in a window of its own, so that nothing on this page
 * is lost. A window that seemed to be closed may still reach its end: then the page goes on as well.
 */
export function useSignInAgain(providerId: string, onDone: () => void): Action<[]> {
  const email = useSession().data?.user?.email;
  const ended = useRef(Promise.withResolvers<void>());
  const { clearError, ...finish } = useAction(async () => {
    const { user } = await getJson<SessionResponse>('/api/session');
    if (user?.email === email) return onDone();
    // Somebody else has signed in: the action must not be done in their name.
    await refreshSession();
    throw problem('You have signed in as somebody else, so nothing was done. Try again.');
  });
  const ask = useAction(async () => {
    const path = `/sign-in-again?provider=${encodeURIComponent(providerId)}`;
    const opened = window.open(path, 'sign-in-again', 'popup,width=520,height=720');
    if (opened === null) throw problem('The browser has blocked the window. Allow it, then try again.');
    ended.current = Promise.withResolvers<void>();
    if (!(await isDone(opened, ended.current.promise)))
      throw problem('The window was closed before you had signed in. Try again.');
  });

  const latest = useRef(finish.run);
  useEffect(() => {
    latest.current = finish.run;
  });
  useEffect(() => {
    const channel = new BroadcastChannel(SIGNED_IN_AGAIN);
    channel.onmessage = () => {
      ended.current.resolve();
      latest.current();
    };
    return () => {
      channel.close();
      ended.current.resolve();
    };
  }, []);

  return {
    isPending: ask.isPending || finish.isPending,
    error: finish.error ?? ask.error,
    run: () => {
      clearError();
      ask.run();
    },
    clearError: () => {
      clearError();
      ask.clearError();
    },
  };
}

/** Waits for the end of the sign-in. @returns false if its window seems to be closed before */
async function isDone(opened: Window, ended: Promise<void>): Promise<boolean> {
  const closed = Promise.withResolvers<boolean>();
  // The policies of this site and of the identity provider hide the window, which then looks closed.
  const timer = window.setInterval(() => {
    if (opened.closed && document.hasFocus()) closed.resolve(false);
  }, CHECK_MS);
  try {
    return await Promise.race([ended.then(() => true), closed.promise]);
  } finally {
    window.clearInterval(timer);
  }
}

function problem(message: string): ApiError {
  return new ApiError(message, { status: 0, code: 'not_signed_in_again' });
}
