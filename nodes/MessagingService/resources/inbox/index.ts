export { createExternal } from './createExternal';
export { getAll } from './getAll';
