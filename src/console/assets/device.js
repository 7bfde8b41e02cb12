// Functions of the device: sign with a passkey, subscribe to web push, play a sound. The texts come from the page.
(() => {
  const bytesOf = (words) =>
    Uint8Array.from(atob(words.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const wordsOf = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');
  const listed = (entries = []) => entries.map((entry) => ({ ...entry, id: bytesOf(entry.id) }));

  async function optionsFrom(path, form, answer) {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form))
      if (name === 'csrf' || name === 'id' || name === 'ids') body.set(name, value);
    if (answer !== undefined) body.set('answer', answer);
    const response = await fetch(path, { method: 'POST', body });
    if (!response.ok) throw new Error(`${response.status}`);
    return response.json();
  }

  async function signed(options) {
    const { id, type, response } = await navigator.credentials.get({
      publicKey: {
        ...options,
        challenge: bytesOf(options.challenge),
        allowCredentials: listed(options.allowCredentials),
      },
    });
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    return JSON.stringify({
      ...{ id, rawId: id, type, clientExtensionResults: {} },
      response: {
        clientDataJSON: wordsOf(clientDataJSON),
        authenticatorData: wordsOf(authenticatorData),
        signature: wordsOf(signature),
        ...(userHandle && { userHandle: wordsOf(userHandle) }),
      },
    });
  }

  async function made(options) {
    const { id, type, response } = await navigator.credentials.create({
      publicKey: {
        ...options,
        challenge: bytesOf(options.challenge),
        user: { ...options.user, id: bytesOf(options.user.id) },
        excludeCredentials: listed(options.excludeCredentials),
      },
    });
    return JSON.stringify({
      ...{ id, rawId: id, type, clientExtensionResults: {} },
      response: {
        clientDataJSON: wordsOf(response.clientDataJSON),
        attestationObject: wordsOf(response.attestationObject),
        transports: response.getTransports?.() ?? [],
      },
    });
  }

  function say(form, words) {
    let place = form.parentElement.querySelector('[data-said]');
    if (!place) {
      place = Object.assign(document.createElement('p'), { className: 'bad' });
      place.dataset.said = '';
      place.setAttribute('role', 'alert');
      form.after(place);
    }
    place.textContent = words;
  }

  function send(form, fields, button) {
    for (const [name, value] of Object.entries(fields)) {
      const field =
        form.querySelector(`input[name="${name}"]`) ??
        form.appendChild(Object.assign(document.createElement('input'), { type: 'hidden', name }));
      field.value = value;
    }
    form.dataset.ready = 'yes';
    form.requestSubmit(button ?? undefined);
  }

  /** The ceremony that this form requires; undefined if none. */
  function ceremonyOf(form, button) {
    if (form.dataset.unlock) return unlock(form, button, form.dataset.unlock);
    if (form.closest('[data-passkey]')) return register(form);
    if (form.closest('[data-push]')) return subscribe(form);
    if (form.hasAttribute('data-passkey-login')) return login(form);
    const needed = document.querySelector('meta[name="sekisho-unlock"]');
    if (needed && form.closest('.question') && button?.name === 'answer' && button.value !== 'deny') {
      return unlock(form, button, `${new URL(form.action).pathname}/unlock`, needed.content);
    }
    return undefined;
  }

  const unlock = (form, button, path, failed = form.dataset.failed) => ({
    failed,
    run: async () => ({ assertion: await signed(await optionsFrom(path, form, button.value)) }),
  });

  const login = (form) => ({
    failed: form.dataset.failed,
    run: async () => ({ assertion: await signed(await optionsFrom('/login/passkey/options', form)) }),
  });

  const register = (form) => ({
    failed: form.closest('[data-passkey]').dataset[globalThis.PublicKeyCredential ? 'failed' : 'missing'],
    run: async () => ({ credential: await made(await optionsFrom('/passkeys/options', form)) }),
  });

  function subscribe(form) {
    const { push, failed, refused, missing } = form.closest('[data-push]').dataset;
    return {
      failed: 'PushManager' in globalThis && navigator.serviceWorker ? failed : missing,
      async run() {
        const worker = await navigator.serviceWorker.register('/sw.js');
        if ((await Notification.requestPermission()) !== 'granted') throw new Error(refused);
        await navigator.serviceWorker.ready;
        const { endpoint, keys } = (
          await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(push) })
        ).toJSON();
        const label = navigator.userAgentData?.platform ?? navigator.platform ?? '';
        const browser = /Firefox|Edg|Chrome|Safari/.exec(navigator.userAgent)?.[0] ?? '';
        return { endpoint, ...keys, label: `${browser} ${label}`.trim() || 'Browser' };
      },
    };
  }

  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target;
      if (form.dataset.ready) return;
      const ceremony = ceremonyOf(form, event.submitter);
      if (!ceremony) return;
      event.preventDefault();
      event.stopPropagation();
      if (form.dataset.asking) return;
      form.dataset.asking = 'yes';
      ceremony
        .run()
        .then((fields) => send(form, fields, event.submitter))
        .catch((error) => {
          const { refused } = form.closest('[data-push]')?.dataset ?? {};
          say(form, refused && error.message === refused ? refused : ceremony.failed);
        })
        .finally(() => delete form.dataset.asking);
    },
    true,
  );

  // Shows the number of open questions in the tab's title, and plays a sound for a new one if the person turned that on
  // for this device.
  const badge = () => document.getElementById('waiting-count');
  const title = document.title;
  let known;
  function count() {
    const waiting = badge()?.hidden === false ? badge().textContent.trim() : '';
    document.title = waiting === '' ? title : `(${waiting}) ${title}`;
    const now = Number.parseInt(waiting, 10) || 0;
    if (known !== undefined && now > known && localStorage.getItem('sekisho-sound')) chime();
    known = now;
  }
  function chime() {
    const audio = new AudioContext();
    for (const [at, hertz] of [
      [0, 660],
      [0.16, 880],
    ]) {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      tone.frequency.value = hertz;
      volume.gain.setValueAtTime(0.12, audio.currentTime + at);
      volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.3);
      tone.connect(volume).connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.3);
      tone.onended = () => at > 0 && audio.close();
    }
  }
  count();
  if (badge())
    new MutationObserver(count).observe(badge().parentElement, {
      childList: true,
      subtree: true,
      attributes: true,
    });
  const sound = document.querySelector('[data-sound]');
  if (sound) {
    sound.checked = localStorage.getItem('sekisho-sound') !== null;
    sound.addEventListener('change', () => {
      if (sound.checked) localStorage.setItem('sekisho-sound', 'on');
      else localStorage.removeItem('sekisho-sound');
      if (sound.checked) chime();
    });
  }
})();
