/** A map that forgets its oldest entries when there are too many. Setting an entry again makes it the newest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
	private readonly maxSize: number;

	constructor(maxSize: number) {
		super();
		this.maxSize = maxSize;
	}

	override set(key: Key, value: Value): this {
		this.delete(key);
		super.set(key, value);
		for (const oldest of this.keys()) {
			if (this.size <= this.maxSize) break;
			this.delete(oldest);
		}
		return this;
	}
}
