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
 * is lost.
 */
export function useSignInAgain(providerId: string, onDone: () => void): Action<[]> {
  const user = useSession().data?.user;
  const given = useRef(new AbortController());
  useEffect(() => () => given.current.abort(), []);
  return useAction(async () => {
    const path = `/sign-in-again?provider=${encodeURIComponent(providerId)}`;
    const opened = window.open(path, 'sign-in-again', 'popup,width=520,height=720');
    if (opened === null) throw problem('The browser has blocked the window. Allow it, then try again.');
    if (!(await isDone(opened, given.current.signal)))
      throw problem('The window was closed before you had signed in. Try again.');
    const { user: now } = await getJson<SessionResponse>('/api/session');
    if (now?.email === user?.email) return onDone();
    // Somebody else has signed in: the action must not be done in their name.
    await refreshSession();
    throw problem('You have signed in as somebody else, so nothing was done. Try again.');
  });
}

/** Waits for the end of the sign-in. @returns false if its window was closed */
async function isDone(opened: Window, signal: AbortSignal): Promise<boolean> {
  const done = Promise.withResolvers<boolean>();
  const channel = new BroadcastChannel(SIGNED_IN_AGAIN);
  channel.onmessage = () => done.resolve(true);
  signal.addEventListener('abort', () => done.resolve(false), { once: true });
  // The policy of the identity provider may hide the window, which then looks closed while it is open.
  const timer = window.setInterval(() => {
    if (opened.closed && document.hasFocus()) done.resolve(false);
  }, CHECK_MS);
  try {
    return await done.promise;
  } finally {
    window.clearInterval(timer);
    channel.close();
  }
}

function problem(message: string): ApiError {
  return new ApiError(message, { status: 0, code: 'not_signed_in_again' });
}
