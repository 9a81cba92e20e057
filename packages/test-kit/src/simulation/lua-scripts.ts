import { createHash } from 'node:crypto';
import { to_luastring as bytes, lauxlib, lua, lualib } from 'fengari';

/** The reply to a command or a script of Redis; null: nothing. */
export type Reply = string | number | null | Reply[];

/** Runs scripts of Redis in a Lua of this process. */
export class LuaScripts {
  readonly #state = lauxlib.luaL_newstate();
  /** References to compiled scripts, by the SHA-1 of their source. */
  readonly #compiled = new Map<string, number>();

  /** @param call runs a command for `redis.call` */
  constructor(call: (words: string[]) => Reply) {
    const state = this.#state;
    lualib.luaL_openlibs(state);
    // Redis runs Lua 5.1, which has `unpack` as a global function.
    lua.lua_getglobal(state, bytes('table'));
    lua.lua_getfield(state, -1, bytes('unpack'));
    lua.lua_setglobal(state, bytes('unpack'));
    lua.lua_createtable(state, 0, 1);
    lua.lua_pushjsfunction(state, (caller) => {
      const words: string[] = [];
      for (let at = 1; at <= lua.lua_gettop(caller); at++) {
        const isNumber = lua.lua_type(caller, at) === lua.LUA_TNUMBER;
        words.push(isNumber ? String(lua.lua_tonumber(caller, at)) : lua.lua_tojsstring(caller, at));
      }
      push(caller, call(words));
      return 1;
    });
    lua.lua_setfield(state, -2, bytes('call'));
    lua.lua_setglobal(state, bytes('redis'));
  }

  /** @returns the SHA-1 of the script */
  compile(source: string): string {
    const sha = createHash('sha1').update(source).digest('hex');
    if (this.#compiled.has(sha)) return sha;
    if (lauxlib.luaL_loadstring(this.#state, bytes(source)) !== lua.LUA_OK) throw this.#error();
    this.#compiled.set(sha, lauxlib.luaL_ref(this.#state, lua.LUA_REGISTRYINDEX));
    return sha;
  }

  /** @returns undefined for a script that is not known */
  run(sha: string, keys: readonly string[], values: readonly string[]): Reply | undefined {
    const state = this.#state;
    const reference = this.#compiled.get(sha);
    if (reference === undefined) return undefined;
    for (const [name, list] of [
      ['KEYS', keys],
      ['ARGV', values],
    ] as const) {
      push(state, [...list]);
      lua.lua_setglobal(state, bytes(name));
    }
    lua.lua_rawgeti(state, lua.LUA_REGISTRYINDEX, reference);
    if (lua.lua_pcall(state, 0, 1, 0) !== lua.LUA_OK) throw this.#error();
    const reply = read(state);
    lua.lua_pop(state, 1);
    return reply;
  }

  #error(): Error {
    return new Error(`a script failed: ${lua.lua_tojsstring(this.#state, -1)}`);
  }
}

function push(state: object, reply: Reply): void {
  if (reply === null) lua.lua_pushboolean(state, false);
  else if (typeof reply === 'number') lua.lua_pushinteger(state, reply);
  else if (typeof reply === 'string') lua.lua_pushstring(state, bytes(reply));
  else {
    lua.lua_createtable(state, reply.length, 0);
    for (const [index, item] of reply.entries()) {
      push(state, item);
      lua.lua_rawseti(state, -2, index + 1);
    }
  }
}

/** Converts the value on top of the stack, as Redis does. */
function read(state: object): Reply {
  const type = lua.lua_type(state, -1);
  if (type === lua.LUA_TNUMBER) return Math.trunc(lua.lua_tonumber(state, -1));
  if (type === lua.LUA_TSTRING) return lua.lua_tojsstring(state, -1);
  if (type === lua.LUA_TBOOLEAN) return lua.lua_toboolean(state, -1) ? 1 : null;
  if (type !== lua.LUA_TTABLE) return null;
  return Array.from({ length: lua.lua_rawlen(state, -1) }, (_, index) => {
    lua.lua_rawgeti(state, -1, index + 1);
    const item = read(state);
    lua.lua_pop(state, 1);
    return item;
  });
}
