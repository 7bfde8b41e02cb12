// The parts that need code: shortcuts, and a list of bounded length. The rest is forms, links and htmx.
(() => {
  const mostRows = 200;
  const places = { o: '/', a: '/approvals', c: '/calls', s: '/sessions', h: '/history', m: '/memories' };
  let isGoing = false;

  const isTyping = (target) =>
    target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;

  const rows = () =>
    [...document.querySelectorAll('[data-list] > li')]
      .map((row) => row.querySelector('a, summary') ?? row)
      .filter((row) => row.offsetParent !== null);

  function step(by) {
    const all = rows();
    const at = all.indexOf(document.activeElement);
    const next = all[at === -1 ? (by > 0 ? 0 : all.length - 1) : at + by];
    next?.focus();
  }

  function press(key) {
    if (isGoing) {
      isGoing = false;
      if (places[key]) location.assign(places[key]);
      return places[key] !== undefined;
    }
    if (key === 'g') {
      isGoing = true;
      setTimeout(() => {
        isGoing = false;
      }, 1500);
    } else if (key === 'j') step(1);
    else if (key === 'k') step(-1);
    else if (key === '/') document.querySelector('[data-search]')?.focus();
    // Only moves the focus: the answer takes a second key.
    else if (key === 'a') document.querySelector('.question button.yes')?.focus();
    else if (key === '?') document.getElementById('keys')?.showModal();
    else return false;
    return true;
  }

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    if (press(event.key)) event.preventDefault();
  });

  document.addEventListener('click', (event) => {
    if (event.target.closest('[data-keys]')) document.getElementById('keys')?.showModal();
  });

  // Times in the reader's own zone, and how long ago.
  const language = document.documentElement.lang === 'ja' ? 'ja' : 'en-GB';
  const ago = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const far = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const exact = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long' });
  const units = [
    ['second', 1, 60],
    ['minute', 60, 3600],
    ['hour', 3600, 86_400],
    ['day', 86_400, 604_800],
  ];

  function tell(element) {
    const at = new Date(element.dateTime);
    const seconds = (at - Date.now()) / 1000;
    const [unit, per] = units.find(([, , below]) => Math.abs(seconds) < below) ?? [];
    const near = unit && !('exact' in element.dataset);
    const words = near ? ago.format(Math.trunc(seconds / per), unit) : far.format(at);
    if (element.textContent !== words) element.textContent = words;
    element.title = exact.format(at);
  }

  const tellTimes = () => document.querySelectorAll('time').forEach(tell);
  tellTimes();
  setInterval(tellTimes, 1000);
  for (const change of ['htmx:after:swap', 'htmx:sse:after:message'])
    document.addEventListener(change, tellTimes);

  // A form is sent once, however often its button is pressed.
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
  addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll('form[data-sent]')) delete form.dataset.sent;
  });

  document.addEventListener('htmx:sse:after:message', (event) => {
    const list = event.target.closest?.('.calls');
    while (list && list.children.length > mostRows) list.lastElementChild.remove();
  });

  // When a question leaves, the next one moves up under the pointer and must not get a click meant for the first.
  let movedAt = -Infinity;
  let tops = new Map();
  const topOf = (card) => Math.round(card.getBoundingClientRect().top + scrollY);
  document.addEventListener('htmx:before:swap', () => {
    tops = new Map([...document.querySelectorAll('.question')].map((card) => [card.id, topOf(card)]));
  });
  document.addEventListener('htmx:after:swap', () => {
    for (const card of document.querySelectorAll('.question')) {
      if (tops.has(card.id) && tops.get(card.id) !== topOf(card)) movedAt = performance.now();
    }
  });
  document.addEventListener(
    'click',
    (event) => {
      const isAnswer = event.target.closest?.('.question button') != null;
      // A key acts on the focused element, wherever that has moved.
      if (isAnswer && event.detail > 0 && performance.now() - movedAt < 700) event.preventDefault();
    },
    true,
  );

  // The login has ended: show that rather than a stale page.
  document.addEventListener('htmx:sse:error', (event) => {
    if (event.detail.status === 401) location.reload();
  });
})();
