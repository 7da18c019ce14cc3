/** For Jest: has Node.js load a library, once for all test files of a process. Jest would do it anew for each. */
export default {
	process: (_source, file) => ({ code: `module.exports = loadOnce(${JSON.stringify(file)});` }),
};
