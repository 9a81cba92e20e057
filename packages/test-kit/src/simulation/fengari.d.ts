/** The part of fengari that the simulation uses: the C interface of Lua, with a stack. */
declare module 'fengari' {
  type State = object;
  export function to_luastring(text: string): Uint8Array;
  export const lua: {
    LUA_OK: number;
    LUA_REGISTRYINDEX: number;
    lua_createtable(state: State, items: number, fields: number): void;
    lua_getglobal(state: State, name: Uint8Array): number;
    lua_getfield(state: State, at: number, name: Uint8Array): number;
    lua_gettop(state: State): number;
    lua_pcall(state: State, parameters: number, results: number, handler: number): number;
    lua_pop(state: State, count: number): void;
    lua_pushboolean(state: State, value: boolean): void;
    lua_pushinteger(state: State, value: number): void;
    lua_pushjsfunction(state: State, run: (state: State) => number): void;
    lua_pushstring(state: State, text: Uint8Array): void;
    lua_rawgeti(state: State, at: number, index: number): number;
    lua_rawlen(state: State, at: number): number;
    lua_rawseti(state: State, at: number, index: number): void;
    lua_setfield(state: State, at: number, name: Uint8Array): void;
    lua_setglobal(state: State, name: Uint8Array): void;
    lua_toboolean(state: State, at: number): boolean;
    lua_tonumber(state: State, at: number): number;
    lua_tojsstring(state: State, at: number): string;
    lua_type(state: State, at: number): number;
    LUA_TBOOLEAN: number;
    LUA_TNUMBER: number;
    LUA_TSTRING: number;
    LUA_TTABLE: number;
  };
  export const lauxlib: {
    luaL_loadstring(state: State, source: Uint8Array): number;
    luaL_newstate(): State;
    luaL_ref(state: State, table: number): number;
  };
  export const lualib: { luaL_openlibs(state: State): void };
}
