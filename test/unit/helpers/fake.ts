/**
 * Stands in for a large interface of n8n of which the code under test needs a few members. Whatever
 * else it touches throws, so that a test cannot pass by accident.
 */
export function fake<Whole extends object>(members: { [Key in keyof Whole]?: unknown }): Whole {
	return new Proxy(members, {
		get(target, key, receiver) {
			if (key in target || typeof key === 'symbol') return Reflect.get(target, key, receiver);
			throw new Error(`"${key}" is not part of this fake`);
		},
	}) as Whole;
}
