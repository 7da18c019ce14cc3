const WORDS = ['action', 'description', 'displayName', 'hint', 'placeholder'];

/** Leaves out the words that n8n's panel shows: changing them changes nothing that the code does. */
export const strykerPlugins = [
	{
		kind: 'Ignore',
		name: 'panel-words',
		value: {
			shouldIgnore: (path) =>
				path.isObjectProperty() && WORDS.includes(path.node.key.name)
					? 'Words for the panel'
					: undefined,
		},
	},
];
