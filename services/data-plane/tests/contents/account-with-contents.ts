import { type AnswerOf, ControlPlaneClient } from '@model-gateway/contracts';
import { type Answer, type SharedGateway, TEST_SECRETS, until, usageOf } from '@model-gateway/test-kit';
import { signedInOwner } from '@model-gateway/test-kit/signed-in-owner';

type Contents = AnswerOf<'dashboard', 'viewHolderContents'>;

/** A new account with a key, and its owner's calls of the dashboard. */
export async function accountWithContents(gateway: SharedGateway, days?: number) {
  const { accountId, id: keyId, rawKey: key } = await gateway.createKey(await gateway.createAccount());
  const user = await signedInOwner(gateway.databaseUrl, accountId);
  const addresses = gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`);
  const client = new ControlPlaneClient({ addresses, token: TEST_SECRETS.INTERNAL_TOKEN, tls: {} });
  /** Turns contents on for so many days, or off. */
  const set = (daysToStore?: number) => {
    const ask = daysToStore === undefined ? {} : { days: daysToStore };
    return client.callOnce(10_000, 'dashboard', 'setHolderContents', ask, user);
  };
  const view = (requestId: string) =>
    client.callOnce(5_000, 'dashboard', 'viewHolderContents', { requestId }, user);
  if (days !== undefined) await set(days);
  return {
    ...{ accountId, keyId, key, set, view },
    ask: (path: string, body: object | string): Promise<Answer> => gateway.ask(path, body, { key }),
    /** Waits until the contents of a response are stored. */
    async contentsOf(response: Pick<Response, 'headers'>): Promise<Contents> {
      const requestId = response.headers.get('x-request-id') ?? '';
      await usageOf(gateway.books, requestId);
      let contents: Contents | undefined;
      await until(async () => {
        contents = await view(requestId).catch(() => undefined);
        return contents !== undefined;
      });
      if (contents === undefined) throw new Error(`there are no contents of ${requestId}`);
      return contents;
    },
    [Symbol.dispose]: () => client.close(),
  };
}
