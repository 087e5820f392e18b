import os
import unittest

import helper_not_there
import tally_box
from tally_box import BoxClosed, TallyBox

FRUIT = ["apple", "pear"]


def filled(box):
    for name in FRUIT:
        box.put(name)
    return box


class TallyBoxTest(unittest.TestCase):
    unit = 1

    def setUp(self):
        self.box = TallyBox()

    def add(self, name, times):
        for _ in range(times):
            self.box.put(name, self.unit)

    def test_names_in_order(self):
        """They come back as they went in."""
        filled(self.box)
        self.assertEqual(self.box.names(), FRUIT, msg="the names")
        self.assertCountEqual(["pear", "apple"], self.box.names())

    def test_shares(self):
        self.add("apple", 2)
        self.add("pear", 1)
        self.assertAlmostEqual(self.box.share("apple"), 2 / 3)
        self.assertAlmostEqual(self.box.share("pear"), 0.33, delta=0.01)
        self.assertTrue(self.box.share("pear") < 0.5)

    def test_amounts(self):
        for amount in (2, 3):
            with self.subTest(amount=amount):
                self.box.put("apple", amount)
                self.assertIn("apple", self.box.names())
        self.assertIsInstance(self.box.names(), list)

    def test_nothing_is_refused(self):
        with self.assertRaises(ValueError) as caught:
            self.box.put("apple", 0)
        self.assertEqual(type(caught.exception), ValueError)
        self.assertEqual(caught.exception.args[0], "put in at least one")

    def test_closed(self):
        self.box.close()
        with self.assertRaisesRegex(BoxClosed, "closed"):
            self.box.put("apple")

    def test_module_is_named(self):
        self.assertEqual(tally_box.TallyBox().names(), [])

    @unittest.skip("later")
    def test_later(self):
        self.assertEqual(1, 1)

    def test_helper(self):
        self.assertEqual(helper_not_there.count(self.box), 0)

    def test_logs(self):
        with self.assertLogs("box"):
            self.box.put("apple")


if __name__ == "__main__":
    unittest.main()
