import { type Argument, type Command, Help, type Option } from 'commander';

const INTRODUCTION = `# gatewayctl

Use \`gatewayctl\` to manage accounts, keys, teams, pools, limits and the catalog, and to see what was used. Each
section below is one command, with the text of \`gatewayctl COMMAND --help\`.

- **Run it**: \`bin/gatewayctl.mjs COMMAND\` in the repository, or \`npm run --silent gatewayctl -- COMMAND\`,
  which takes longer, because npm starts first. After \`npm link\` in the repository, \`gatewayctl COMMAND\`
  works in every folder. It finds a gateway that \`npm start\` runs in the repository by itself. For any other
  gateway, give \`--control-plane\` and \`--admin-token\`, or set \`CONTROL_PLANE_ADDRESS\` and \`ADMIN_TOKEN\`, or
  call its management API.
- **Without the repository**: \`npm pack\` makes \`model-gateway-0.1.0.tgz\`. After
  \`npm install -g ./model-gateway-0.1.0.tgz\`, \`model-gateway start\` runs a gateway with its data in
  \`.gateway\` of the folder where you are, and \`gatewayctl\` finds it there. Its first start prepares the
  program in \`~/.local/share/model-gateway\` (1.7 GB): remove older folders there after an update.
- **Proof of the server**: before each call, the control plane proves that it has your admin token. The token
  itself is never sent ([why](decisions/server-proof.md)): if another program listens on that port, it gets
  nothing, and you get an error. On a terminal, and with \`--verbose\`, gatewayctl prints the server on standard
  error: \`gatewayctl: localhost:50051 ([::1]:50051), installation 3f2a9c01\`. The installation is the beginning
  of the epoch of its database, which a restore changes.
- **Over HTTP**: with \`--url\` and \`--token\`, or \`GATEWAY_ADMIN_URL\` and \`GATEWAY_ADMIN_KEY\`, every command calls
  the [management API](management-api.md) instead, with an admin key and its scopes. Use https, or a network where
  nobody listens: the key is sent to the server. For a certificate of your own authority, set
  \`NODE_EXTRA_CA_CERTS\`. Other people on the machine can read the command line: set the variable, or give
  \`--token -\`, which reads the key from standard input. A key that is bound to an account can make the calls that
  concern only this account.
- **ACCOUNT** is an id or an e-mail address, in every command. Give it as the argument or as \`--account\`.
- **\`--json\`** works with every command: it prints one JSON value and nothing else. An error is JSON, too,
  on standard error: \`{"error":{"code":"not_found","message":"there is no key key_1"}}\`. The code is the
  name of the gRPC status in lower case, or \`wrong_usage\`, \`invalid_settings\`, \`unreadable_file\`,
  \`invalid_file\`, \`failed\` or \`unexpected\`.
- **Exit codes**: 0 for success; 1 when a command failed, or found a problem (\`verify-ledger\`,
  \`catalog check\`); 2 for a wrong command line.
- **Pages**: \`--limit\` sets the length of a page. \`--page\` selects the page: by its number, or by the value that
  the previous page printed on standard error.
- **Times** are dates (\`2026-11-30\`, the beginning of the day in UTC), moments with their offset
  (\`2026-11-30T12:00:00Z\`), or Unix seconds.
- **Names**: tables show the e-mail addresses of accounts and the names of teams; \`--json\` has the ids.
- **Your own programs**: \`Calls\` lists the methods of the control plane's gRPC API
  ([proto/gateway/v1](../proto/gateway/v1)) that a command calls. Your program can call them, too, with
  \`authorization: Bearer ADMIN_TOKEN\` in the metadata. Unlike gatewayctl, it then sends the token to any server
  at that address: use TLS, or a network where no other program can listen.

<!-- Made of the commands by packages/cli/tests/reference.test.ts: run it with -u when they have changed. -->

## Many accounts at once

\`accounts import\` takes a CSV file. All columns but \`email\` may be left out, and every value but the address may be
empty:

\`\`\`csv
email,name,pool_usd,resets
ada@example.com,"Lovelace, Ada",20.00,monthly
ben@example.com,Ben,5.00,
\`\`\`

If a row is wrong, nothing is changed, and every wrong row is listed. An account that exists is kept as it is; it gets
the pool of its row unless it has one that was imported (its name is \`Imported\`). So a repeated import does nothing
twice, and you can add rows to the file and import it again. \`pools add --all --usd 5.00\` gives every account one more
pool each time you run it; with \`--dry-run\` it only says how many accounts that would be.

If the control planes have \`SIGNUP_POOL_USD\`, a new account gets that pool, and the one of its row besides. For one
budget per person, leave \`pool_usd\` empty or \`SIGNUP_POOL_USD\` unset.

## Completion

To complete command lines in your shell, load the script for your shell. If you have no \`npm link\`, define
\`gatewayctl\` first: \`alias gatewayctl=~/model-gateway/bin/gatewayctl.mjs\`.

\`\`\`sh
source <(gatewayctl completion bash)   # in ~/.bashrc; zsh: completion zsh, in ~/.zshrc, after compinit
gatewayctl completion fish | source    # fish
\`\`\`
`;

/**
 * Returns the page docs/gatewayctl.md.
 * @param calls the methods of the control plane that each command calls
 */
export function commandReference(program: Command, calls: ReadonlyMap<string, readonly string[]>): string {
  const everywhere = section(
    '## Options of every command',
    list(program.options.filter(({ long }) => long !== '--version').map(optionRow)),
  );
  const sections = program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [section(`## ${command.name()}`, entry(command, command.name(), calls))]
      : [
          section(`## ${command.name()}`, `${sentence(command.description())}\n`),
          ...command.commands.map((each) => {
            const path = `${command.name()} ${each.name()}`;
            return section(`### ${path}`, entry(each, path, calls));
          }),
        ],
  );
  return [INTRODUCTION, everywhere, ...sections].join('\n');
}

/** Returns the commands that do something, by their words. */
export function commandPaths(program: Command): string[] {
  return program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((each) => `${command.name()} ${each.name()}`),
  );
}

function entry(command: Command, path: string, calls: ReadonlyMap<string, readonly string[]>): string {
  const rows = [...command.registeredArguments.map(argumentRow), ...command.options.map(optionRow)];
  const called = calls.get(path) ?? [];
  const methods = called.length === 0 ? 'nothing' : called.map((method) => `\`${method}\``).join(', ');
  const help = command.createHelp();
  return [
    '```',
    help.commandUsage(command),
    '```',
    '',
    sentence(command.description()),
    '',
    ...(rows.length === 0 ? [] : [list(rows)]),
    `Calls: ${methods}.`,
    '',
  ].join('\n');
}

function argumentRow(argument: Argument): [string, string] {
  const name = argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
  return [name, new Help().argumentDescription(argument)];
}

function optionRow(option: Option): [string, string] {
  const description = new Help().optionDescription(option);
  return [option.flags, option.mandatory ? `${description} (required)` : description];
}

function list(rows: readonly (readonly [string, string])[]): string {
  return [...rows.map(([term, text]) => `- \`${term}\`: ${text}`), ''].join('\n');
}

function section(heading: string, text: string): string {
  return `${heading}\n\n${text}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
